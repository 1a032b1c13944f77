//! Port bundles: signals that go together, declared once for both of their ends

/// Declares the two ends of a bundle as rust-hdl interfaces: `bundle!(/** what it is */ SomeOut "SomeIn" SomeIn {
/// there: Type, } { back: Type, })`, and `<W>` behind it for signals of W bits. `SomeOut` sends `there` and receives
/// `back`. In a kernel `SomeOut::join` joins a sender to a receiver, `link` a block's bundle to a child's.
macro_rules! bundle {
    (
        $(#[$doc:meta])* $out:ident $name:tt $in:ident $(<$w:ident>)?
        { $($there:ident: $t:ty,)* } { $($back:ident: $b:ty,)* }
    ) => {
        $(#[$doc])*
        ///
        /// The end that sends.
        #[derive(LogicInterface, Clone, Debug, Default)]
        #[join = $name]
        pub struct $out $(<const $w: usize>)? {
            $(pub $there: Signal<Out, $t>,)*
            $(pub $back: Signal<In, $b>,)*
        }
        $(#[$doc])*
        ///
        /// The end that receives.
        #[derive(LogicInterface, Clone, Debug, Default)]
        pub struct $in $(<const $w: usize>)? {
            $(pub $there: Signal<In, $t>,)*
            $(pub $back: Signal<Out, $b>,)*
        }
    };
}
pub(crate) use bundle;
