//! `#[derive(LogicBlock)]` as rust-hdl has it, for circuits that settle in fewer sweeps
//!
//! A sweep of rust-hdl runs a block's logic, and only then gives the block's inputs the values that the block around it has set. So each
//! level of a hierarchy costs a sweep, in which all other blocks run without need. This macro updates the inputs first: a change reaches all
//! levels in one sweep. Names, connections, checks and Verilog are those of rust-hdl's macro.
//!
//! The order within a sweep, why it ends in the same state, and why registers do not see values of the next cycle: `hdl::sweep`. The
//! measurement: `docs/maintainers/decisions/0090-sweeps.md`.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{parse_macro_input, Data, DeriveInput, Error, Field, Fields, GenericArgument, PathArguments, Type};

/// Names that a field cannot have, because they are words of Verilog.
const RESERVED: [&str; 6] = ["config", "wire", "reg", "module", "edge", "disable"];

/// Implements `Block`, and `hdl::sweep::Ports`, for a struct of signals and blocks that has `Logic`. Fields whose names begin with `_` are
/// left out.
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
    let places: Vec<Tokens> = fields.iter().map(|field| quote!(self.#field)).collect();
    let before = places.iter().zip(&kinds).filter_map(|(place, kind)| kind.before(place));
    let signals = places.iter().zip(&kinds).filter(|(_, kind)| kind.is_signal());
    let signals = signals.filter_map(|(place, kind)| kind.after(place));
    let others = places.iter().zip(&kinds).filter(|(_, kind)| !kind.is_signal());
    let others = others.filter_map(|(place, kind)| kind.after(place));
    let changed = places.iter().zip(&kinds).filter_map(|(place, kind)| kind.changed(place));
    let ports = places.iter().zip(&kinds).zip(&names).filter_map(|((place, kind), name)| kind.ports(place, name));
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
                #(#before)*
                ::rust_hdl::core::logic::Logic::update(self);
                #(#signals)*
                #(#others)*
            }

            fn has_changed(&self) -> bool {
                #(#changed ||)* false
            }

            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::core::probe::Probe) {
                probe.visit_start_scope(name, self);
                #(::rust_hdl::core::block::Block::accept(&self.#fields, #names, probe);)*
                probe.visit_end_scope(name, self);
            }
        }

        impl #generics ::hdl::sweep::Ports for #name #arguments #bounds {
            fn ports(&self, name: &str, probe: &mut dyn ::rust_hdl::core::probe::Probe) {
                #[allow(unused_imports)]
                use ::hdl::sweep::{BlockView as _, InterfaceView as _, View};
                probe.visit_start_scope(name, self);
                #(#ports)*
                probe.visit_end_scope(name, self);
            }
        }
    })
}

/// What a field is.
#[derive(PartialEq, Eq)]
enum Kind {
    /// `Signal<In, _>`: has its new value before the logic runs, which therefore does not have to run again when it changes.
    Input,
    /// Another signal, whose value is visible at once: whether it has changed is determined after the logic.
    Signal,
    /// `DFF<_>`: only its output is read by logic.
    Register,
    /// An interface or a block, which the compiler distinguishes.
    Other,
    /// An array or a `Vec` of these.
    List(Box<Kind>),
}

impl Kind {
    fn is_signal(&self) -> bool {
        match self {
            Self::Input | Self::Signal => true,
            Self::Register | Self::Other => false,
            Self::List(kind) => kind.is_signal(),
        }
    }

    /// What is done with the field at `place` before the logic.
    fn before(&self, place: &Tokens) -> Option<Tokens> {
        match self {
            Self::Input => Some(quote!(::rust_hdl::core::block::Block::update_all(&mut #place);)),
            Self::Signal | Self::Register => None,
            Self::Other => Some(quote!(Field(&mut #place).take_over();)),
            Self::List(kind) => each(kind.before(&quote!(*element)), place),
        }
    }

    /// What is done after the logic.
    fn after(&self, place: &Tokens) -> Option<Tokens> {
        match self {
            Self::Input => None,
            Self::Signal => Some(quote!(::rust_hdl::core::block::Block::update_all(&mut #place);)),
            Self::Register => Some(quote!(::hdl::sweep::register(&mut #place);)),
            Self::Other => Some(quote!(Field(&mut #place).run();)),
            Self::List(kind) => each(kind.after(&quote!(*element)), place),
        }
    }

    /// Whether logic must run again because of the field.
    fn changed(&self, place: &Tokens) -> Option<Tokens> {
        match self {
            Self::Input => None,
            Self::Signal | Self::Other => Some(quote!(::rust_hdl::core::block::Block::has_changed(&#place))),
            Self::Register => Some(quote!(::rust_hdl::core::block::Block::has_changed(&#place.q))),
            Self::List(kind) => {
                let changed = kind.changed(&quote!((*element)))?;
                Some(quote!(#place.iter().any(|element| #changed)))
            }
        }
    }
}

impl Kind {
    /// Visits the field at `place` if it is a signal or an interface.
    fn ports(&self, place: &Tokens, name: &str) -> Option<Tokens> {
        match self {
            kind if kind.is_signal() => Some(quote!(::rust_hdl::core::block::Block::accept(&#place, #name, probe);)),
            Self::Other => Some(quote!(View(&#place).visit(#name, probe);)),
            Self::List(kind) if **kind == Self::Other => Some(
                quote!(for (i, element) in #place.iter().enumerate() { View(element).visit(&format!("{}${i}", #name), probe); }),
            ),
            _ => None,
        }
    }
}

/// `statement` for each element of the list at `place`.
fn each(statement: Option<Tokens>, place: &Tokens) -> Option<Tokens> {
    statement.map(|statement| quote!(for element in #place.iter_mut() { #statement }))
}

fn kind(field: &Type) -> Kind {
    let last = match field {
        Type::Array(array) => return Kind::List(Box::new(kind(&array.elem))),
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let Some(last) = last else { return Kind::Other };
    let first = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.first(),
        _ => None,
    };
    match (last.ident.to_string().as_str(), first) {
        ("Signal", Some(GenericArgument::Type(Type::Path(direction)))) if direction.path.is_ident("In") => Kind::Input,
        ("Signal", _) => Kind::Signal,
        ("DFF", _) => Kind::Register,
        ("Vec", Some(GenericArgument::Type(element))) => Kind::List(Box::new(kind(element))),
        _ => Kind::Other,
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
