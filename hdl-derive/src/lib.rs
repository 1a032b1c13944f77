//! `#[derive(LogicBlock)]` as rust-hdl has it, for circuits that settle in fewer sweeps
//!
//! A sweep of rust-hdl runs a block's logic, and only then gives the block's inputs the values that the block around it has set. So each
//! level of a hierarchy costs a sweep, in which all other blocks run without need. This macro takes the inputs over first:
//! a change reaches all levels in one sweep. Names, connections, checks and Verilog are those of rust-hdl's macro.
//!
//! The order within a sweep, why registers do not see values of the next cycle, and the measurement:
//! `docs/maintainers/decisions/0090-sweeps.md`.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{parse_macro_input, Data, DeriveInput, Error, Field, Fields, GenericArgument, PathArguments, Type};

/// Names that a field cannot have, because they are words of Verilog.
const RESERVED: [&str; 6] = ["config", "wire", "reg", "module", "edge", "disable"];

/// Implements `Block` for a struct of signals and blocks that has `Logic`. Fields whose names begin with `_` are left out.
#[proc_macro_derive(LogicBlock)]
pub fn logic_block(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    block(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

fn block(input: &DeriveInput) -> Result<Tokens, Error> {
    let fields = fields(input)?;
    let kinds: Vec<Kind> = fields.iter().map(|f| kind(&f.ty)).collect();
    let fields: Vec<_> = fields.iter().filter_map(|f| f.ident.as_ref()).collect();
    let names: Vec<String> = fields.iter().map(|f| f.to_string()).collect();
    let of =
        |wanted: Kind| fields.iter().zip(&kinds).filter(move |(_, kind)| **kind == wanted).map(|(field, _)| *field);
    let (inputs, signals): (Vec<_>, Vec<_>) = (of(Kind::Input).collect(), of(Kind::Signal).collect());
    let others: Vec<_> = of(Kind::Other).collect();
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::rust_hdl::core::block::Block for #name #arguments #bounds {
            fn connect_all(&mut self) {
                ::rust_hdl::core::logic::Logic::connect(self);
                #(::rust_hdl::core::block::Block::connect_all(&mut self.#fields);)*
            }

            fn update_all(&mut self) {
                #[allow(unused_imports)]
                use ::hdl::sweep::{Blocks as _, Field, Interfaces as _};
                #(::rust_hdl::core::block::Block::update_all(&mut self.#inputs);)*
                #(Field(&mut self.#others).take_over();)*
                ::rust_hdl::core::logic::Logic::update(self);
                #(::rust_hdl::core::block::Block::update_all(&mut self.#signals);)*
                #(Field(&mut self.#others).run();)*
            }

            fn has_changed(&self) -> bool {
                #(::rust_hdl::core::block::Block::has_changed(&self.#fields) ||)* false
            }

            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::core::probe::Probe) {
                probe.visit_start_scope(name, self);
                #(::rust_hdl::core::block::Block::accept(&self.#fields, #names, probe);)*
                probe.visit_end_scope(name, self);
            }
        }
    })
}

/// What a field is.
#[derive(PartialEq, Eq)]
enum Kind {
    /// `Signal<In, _>`: has its new value before the logic runs.
    Input,
    /// Another signal, whose value is there at once: only whether it has changed is found out, after the logic.
    Signal,
    /// An interface or blocks, which the compiler distinguishes.
    Other,
}

fn kind(field: &Type) -> Kind {
    let last = match field {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let Some(signal) = last.filter(|s| s.ident == "Signal") else { return Kind::Other };
    let PathArguments::AngleBracketed(arguments) = &signal.arguments else { return Kind::Other };
    match arguments.args.first() {
        Some(GenericArgument::Type(Type::Path(direction))) if direction.path.is_ident("In") => Kind::Input,
        _ => Kind::Signal,
    }
}

/// Signals and blocks of a struct.
fn fields(input: &DeriveInput) -> Result<Vec<&Field>, Error> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "a circuit is a struct"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new(input.ident.span(), "a circuit is a struct whose fields have names"));
    };
    let mut found = Vec::new();
    for field in &named.named {
        let Some(name) = &field.ident else { continue };
        let text = name.to_string();
        if RESERVED.contains(&text.as_str()) {
            return Err(Error::new(name.span(), format!("`{text}` is a word of Verilog; give the field another name")));
        }
        if !text.starts_with('_') {
            found.push(field);
        }
    }
    Ok(found)
}
