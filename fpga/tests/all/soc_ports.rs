//! Cores that declare their RVFI ports registered have registers behind them in the netlist

use fpga::flow::tool::YOSYS;
use fpga::soc::core::{Core, CoreKind};
use serde_json::Value;
use std::collections::HashMap;

/// Ports of a core's control flow.
const PORTS: [&str; 6] = ["rvfi_valid", "rvfi_insn", "rvfi_trap", "rvfi_intr", "rvfi_pc_rdata", "rvfi_pc_wdata"];
/// Word-wide cells allowed between registers and a port: a comparison, and a multiplexer that it controls.
const CHOICE: usize = 2;

/// A netlist: the cell that drives a bit, and the inputs of each cell (`None`: a register).
struct Netlist {
    cells: Vec<Option<Vec<u64>>>,
    drivers: HashMap<u64, usize>,
}

impl Netlist {
    fn of(module: &Value) -> Self {
        let bits = |v: &Value| v.as_array().into_iter().flatten().filter_map(Value::as_u64).collect::<Vec<_>>();
        let (mut cells, mut drivers) = (Vec::new(), HashMap::new());
        for cell in module["cells"].as_object().unwrap().values() {
            let kind = cell["type"].as_str().unwrap();
            let side = |output: bool| {
                let ports = cell["connections"].as_object().unwrap().iter();
                let of = ports.filter(move |(name, _)| (cell["port_directions"][*name] == "output") == output);
                of.flat_map(|(_, to)| bits(to)).collect::<Vec<_>>()
            };
            drivers.extend(side(true).into_iter().map(|bit| (bit, cells.len())));
            cells.push((!kind.contains("dff")).then(|| side(false)));
        }
        Self { cells, drivers }
    }

    /// Number of cells on the longest path from registers to a bit; `None` if a path starts at an input of the core.
    fn depth(&self, bit: u64, known: &mut HashMap<u64, Option<usize>>) -> Option<usize> {
        if let Some(depth) = known.get(&bit) {
            return *depth;
        }
        let depth = match &self.cells[*self.drivers.get(&bit)?] {
            None => Some(0),
            Some(inputs) => {
                let behind = inputs.iter().map(|bit| self.depth(*bit, known));
                behind.collect::<Option<Vec<_>>>().map(|all| 1 + all.into_iter().max().unwrap_or(0))
            }
        };
        known.insert(bit, depth);
        depth
    }
}

/// Number of cells on the longest path from registers to the ports; `None`: from an input.
fn depth(core: &dyn Core) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("core.v"), core.verilog().unwrap()).unwrap();
    let script = "read_verilog core.v; prep -top soc_core -flatten; write_json core.json";
    YOSYS.find().unwrap().run(&["-q", "-p", script], folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join("core.json")).unwrap();
    let netlist: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    let module = &netlist["modules"]["soc_core"];
    let (cells, mut known) = (Netlist::of(module), HashMap::new());
    let bits = PORTS.iter().flat_map(|p| module["ports"][p]["bits"].as_array().unwrap()).filter_map(Value::as_u64);
    bits.map(|bit| cells.depth(bit, &mut known)).collect::<Option<Vec<_>>>().map(|all| all.into_iter().max().unwrap())
}

#[test]
fn ports_declared_registered_come_from_registers() {
    for kind in CoreKind::ALL {
        let core = kind.core();
        if core.simulated_only() {
            continue;
        }
        let depth = depth(core);
        println!("{}: {depth:?}", kind.name());
        assert_eq!(depth.is_some_and(|d| d <= CHOICE), core.registered(), "{}: {depth:?}", kind.name());
    }
}
