//! Port bundles: groups of signals, declared once for both ends

/// Declares the two ends of a bundle as rust-hdl interfaces: `bundle!(/** description */ SomeOut "SomeIn" SomeIn {
/// there: Type, } { back: Type, })`, with `<W>` after it for signals of W bits. `SomeOut` sends `there` and receives
/// `back`. In a kernel, `SomeOut::join` joins a sender to a receiver, and `link` a block's bundle to a child's.
macro_rules! bundle {
    (
        $(#[$doc:meta])* $out:ident $name:tt $in:ident $(<$($w:ident),+>)?
        { $($there:ident: $t:ty,)* } { $($back:ident: $b:ty,)* }
    ) => {
        $(#[$doc])*
        ///
        /// The sending end.
        #[derive(LogicInterface, Clone, Debug, Default)]
        #[join = $name]
        pub struct $out $(<$(const $w: usize),+>)? {
            $(pub $there: Signal<Out, $t>,)*
            $(pub $back: Signal<In, $b>,)*
        }
        $(#[$doc])*
        ///
        /// The receiving end.
        #[derive(LogicInterface, Clone, Debug, Default)]
        pub struct $in $(<$(const $w: usize),+>)? {
            $(pub $there: Signal<In, $t>,)*
            $(pub $back: Signal<Out, $b>,)*
        }
    };
}
pub(crate) use bundle;
