//! The lint finds every planted fault and leaves the corrected block alone

use hdl::LogicBlock;
use rust_hdl::prelude::*;
use testbenches::lint::{inclusive_ranges, lint, scan_text, Rule};

/// Findings in a block with the usual ports and one kernel.
macro_rules! block {
    ({ $($kernel:tt)* } $(, $field:ident: $ty:ty = $init:expr)*) => {{
        #[derive(LogicBlock)]
        struct Planted {
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub c: Signal<In, Bit>,
            pub n: Signal<In, Bits<3>>,
            pub x: Signal<Out, Bits<8>>,
            pub y: Signal<Out, Bits<16>>,
            pub z: Signal<Out, Bit>,
            pub t: Signal<Local, Bits<8>>,
            pub v: [Signal<Local, Bits<8>>; 4],
            $(pub $field: $ty,)*
        }
        impl Logic for Planted {
            $($kernel)*
        }
        let mut block = Planted {
            a: Default::default(), b: Default::default(), c: Default::default(), n: Default::default(),
            x: Default::default(), y: Default::default(), z: Default::default(), t: Default::default(),
            v: Default::default(), $($field: $init,)*
        };
        block.connect_all();
        lint(&block).into_iter().map(|f| (f.rule, f.what)).collect::<Vec<_>>()
    }};
}

/// Checks that there is exactly one finding, of this rule.
fn assert_only(findings: &[(Rule, String)], rule: Rule) {
    assert!(findings.len() == 1 && findings[0].0 == rule, "{findings:?}, should be one {rule:?}");
}

#[test]
fn comparing_an_unwrapped_sum_is_found() {
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = (self.a.val() + 1) == 0;
            }
        }),
        Rule::Compared,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = (self.a.val() + self.b.val()) > 250;
            }
        }),
        Rule::Compared,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = !self.a.val() == 5;
            }
        }),
        Rule::Compared,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = (self.a.val() << 1_u32.to_bits::<3>()) > 200;
            }
        }),
        Rule::Compared,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                match (self.a.val() + self.b.val()).index() {
                    3 => {
                        self.z.next = true;
                    }
                    _ => {
                        self.z.next = false;
                    }
                }
            }
        }),
        Rule::Compared,
    );
    // the same with an explicit wrap, or with nothing wider than a byte
    assert_eq!(
        block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = bit_cast::<8, 8>(self.a.val() + 1) == 0;
            }
        }),
        []
    );
    assert_eq!(
        block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.t.next = self.a.val() + 1;
                self.z.next = self.t.val() == 0;
            }
        }),
        []
    );
    assert_eq!(
        block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = (self.a.val() + self.b.val()) == self.b.val();
            }
        }),
        []
    );
}

#[test]
fn widening_an_unwrapped_result_is_found() {
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.y.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
            }
        }),
        Rule::Widened,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.y.next = bit_cast::<16, 8>(!self.a.val());
            }
        }),
        Rule::Widened,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.x.next = bit_cast::<8, 1>((!self.c.val()).into());
            }
        }),
        Rule::Widened,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.x.next = self.a.val() + !self.c.val();
            }
        }),
        Rule::Widened,
    );
    let good = block!({
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = bit_cast::<16, 8>(bit_cast::<8, 8>(self.a.val() + self.b.val()));
            self.x.next = bit_cast::<8, 8>(self.a.val() - 1);
            self.z.next = !self.c.val() & (self.a.val() == 3);
        }
    });
    assert_eq!(good, []);
}

#[test]
fn shifting_reducing_and_replacing_an_unwrapped_result_is_found() {
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.x.next = (self.a.val() + 200) >> self.n.val();
            }
        }),
        Rule::ShiftedRight,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.x.next = self.a.val() << (self.n.val() + 3);
            }
        }),
        Rule::Amount,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = self.a.val().get_bit((self.n.val() + 1).index());
            }
        }),
        Rule::Amount,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = (self.a.val() | 0xf0).all();
            }
        }),
        Rule::Reduced,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = (self.a.val() + 1).xor();
            }
        }),
        Rule::Reduced,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.x.next = self.a.val().replace_bit(2, !self.c.val());
            }
        }),
        Rule::Replaced,
    );
    let good = block!({
        #[hdl_gen]
        fn update(&mut self) {
            self.t.next = self.a.val() + 1;
            self.x.next = self.t.val() >> self.n.val();
            self.z.next = self.t.val().xor() | self.a.val().all();
            self.x.next = self.a.val().replace_bit(2, self.c.val());
        }
    });
    assert_eq!(good, []);
}

#[test]
fn a_comparison_that_binds_otherwise_in_verilog_is_found() {
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = self.a.val() & self.b.val() == self.t.val();
                self.t.next = 0.into();
            }
        }),
        Rule::Precedence,
    );
    let good = block!({
        #[hdl_gen]
        fn update(&mut self) {
            self.t.next = 0.into();
            self.z.next = (self.a.val() & self.b.val()) == self.t.val();
        }
    });
    assert_eq!(good, []);
}

#[test]
fn a_bit_select_of_an_expression_is_found() {
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = (self.a.val() ^ self.b.val()).get_bit(1);
            }
        }),
        Rule::SelectOfExpression,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.x.next = bit_cast::<8, 2>(self.a.val().get_bits::<4>(2).get_bits::<2>(1));
            }
        }),
        Rule::SelectOfExpression,
    );
    assert_only(
        &block!({ #[hdl_gen] fn update(&mut self) { self.z.next = self.one.val().get_bit(0); } }, one: Signal<In, Bits<1>> = Default::default()),
        Rule::SelectOfBit,
    );
    assert_eq!(
        block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = self.a.val().get_bit(1);
            }
        }),
        []
    );
}

#[test]
fn a_name_that_the_module_does_not_declare_is_found() {
    const K: usize = 3;
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.x.next = K.to_bits();
            }
        }),
        Rule::Undeclared,
    );
    assert_only(
        &block!({
            #[hdl_gen]
            fn update(&mut self) {
                self.z.next = self.a.val().get_bit(K);
            }
        }),
        Rule::Undeclared,
    );
    mod states {
        use rust_hdl::prelude::*;
        #[derive(Copy, Clone, Debug, PartialEq, LogicState)]
        pub enum ByPath {
            Idle,
            Busy,
        }
    }
    use states::ByPath;
    let findings = block!({ #[hdl_gen] fn update(&mut self) { self.s.next = states::ByPath::Busy; } },
        s: Signal<Local, ByPath> = Default::default());
    assert_only(&findings, Rule::Undeclared);
    let good = block!({ #[hdl_gen] fn update(&mut self) {
            self.s.next = ByPath::Busy;
            self.x.next = self.k.val();
        } }, s: Signal<Local, ByPath> = Default::default(), k: Constant<Bits<8>> = Constant::new(K.to_bits()));
    assert_eq!(good, []);
}

#[test]
fn array_names_are_known_and_a_second_index_is_found() {
    let good = block!({
        #[hdl_gen]
        fn update(&mut self) {
            for i in 0..3 {
                self.v[i].next = self.a.val();
                self.v[i + 1].next = self.v[i].val() + i.to_bits();
            }
        }
    });
    assert_eq!(good, []);
    let findings = block!({ #[hdl_gen] fn update(&mut self) { self.m[1][2].next = self.a.val(); } },
        m: [[Signal<Local, Bits<8>>; 3]; 2] = Default::default());
    assert_only(&findings, Rule::SecondIndex);
}

#[test]
fn a_loop_variable_that_captures_a_signal_is_found() {
    let findings = block!({
        #[hdl_gen]
        fn update(&mut self) {
            for a in 0..4 {
                self.v[a].next = self.b.val();
            }
        }
    });
    assert_only(&findings, Rule::Captured);
}

#[test]
fn keywords_as_names_are_found() {
    let findings = block!({ #[hdl_gen] fn update(&mut self) { self.x.next = self.a.val(); } }, table: Signal<In, Bit> = Default::default());
    assert_eq!(findings, [(Rule::Keyword, "table".to_string())]);
    let findings = block!({ #[hdl_gen] fn update(&mut self) { self.x.next = self.a.val(); } }, r#type: Signal<In, Bit> = Default::default());
    assert_only(&findings, Rule::Keyword);
}

mod one {
    use rust_hdl::prelude::*;
    #[derive(Copy, Clone, Debug, PartialEq, LogicState)]
    #[allow(dead_code)] // only the type is looked at
    pub enum Phase {
        Idle,
        Run,
    }
}
mod two {
    use rust_hdl::prelude::*;
    #[derive(Copy, Clone, Debug, PartialEq, LogicState)]
    #[allow(dead_code)] // only the type is looked at
    pub enum Phase {
        Run,
        Idle,
    }
}

#[test]
fn two_enums_of_one_name_are_found_but_one_enum_twice_is_fine() {
    let findings = block!({ #[hdl_gen] fn update(&mut self) { self.x.next = self.a.val(); } },
        p: Signal<In, one::Phase> = Default::default(), q: DFF<two::Phase> = Default::default());
    assert!(!findings.is_empty() && findings.iter().all(|f| f.0 == Rule::EnumTwice), "{findings:?}");
    let good = block!({ #[hdl_gen] fn update(&mut self) { self.x.next = self.a.val(); } },
        p: Signal<In, one::Phase> = Default::default(), q: DFF<one::Phase> = Default::default());
    assert_eq!(good, []);
}

#[derive(LogicBlock, Default)]
struct Child {
    pub a: Signal<In, Bits<8>>,
    pub z: Signal<Out, Bit>,
}
impl Logic for Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = (self.a.val() - 1) == 255;
    }
}

#[test]
fn faults_in_children_are_found_with_their_path_and_text() {
    #[derive(LogicBlock, Default)]
    struct Parent {
        pub a: Signal<In, Bits<8>>,
        pub z: Signal<Out, Bit>,
        kids: [Child; 2],
    }
    impl Logic for Parent {
        #[hdl_gen]
        fn update(&mut self) {
            for i in 0..2 {
                self.kids[i].a.next = self.a.val();
            }
            self.z.next = self.kids[0].z.val() | self.kids[1].z.val();
        }
    }
    let mut parent = Parent::default();
    parent.connect_all();
    let text: Vec<String> = lint(&parent).iter().map(ToString::to_string).collect();
    let why = "unwrapped result of + - << ! is compared with something wider; name it first";
    assert_eq!(text, [0, 1].map(|i| format!("top$kids${i}: `(a - 32'h1) == 32'hff`: {why}")));
}

#[test]
fn the_widgets_of_rust_hdl_pass() {
    #[derive(LogicBlock)]
    struct Widgets {
        pub clock: Signal<In, Clock>,
        fifo: SynchronousFIFO<Bits<8>, 4, 5, 1>,
        memory: RAM<Bits<8>, 4>,
        shot: Strobe<32>,
    }
    impl Logic for Widgets {
        fn update(&mut self) {}
    }
    let mut w = Widgets {
        clock: Default::default(),
        fifo: Default::default(),
        memory: Default::default(),
        shot: Strobe::new(1000, 10.0),
    };
    w.connect_all();
    assert_eq!(lint(&w).into_iter().map(|f| f.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn inclusive_ranges_are_found_in_kernels_only() {
    let text = "fn host() { for i in 0..=2 {} }\n#[hdl_gen]\nfn update(&mut self) {\n    // 0..=9\n    \
                let s = \"..=}\";\n    for i in 0..=2 { self.v[i].next = 0.into(); }\n}\nfn after() { for i in 0..=2 {} }\n";
    let findings: Vec<String> = scan_text("x.rs", text).iter().map(ToString::to_string).collect();
    let what = "`for i in 0..=2 { self.v[i].next = 0.into(); }`";
    assert_eq!(findings, [format!("x.rs:6: {what}: `..=` in an hdl_gen function loses its last round; use `..`")]);
    assert_eq!(scan_text("x.rs", &text.replace("0..=2 { self", "0..3 { self")), []);
}

#[test]
fn the_circuits_of_this_project_have_no_inclusive_ranges() {
    let findings = inclusive_ranges(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../hdl/src")).unwrap();
    assert_eq!(findings, []);
}
