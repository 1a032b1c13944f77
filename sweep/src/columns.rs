//! `results.parquet`: the rows of `results.csv` with types, for tools that read columnar files
//!
//! A column is a boolean, a string, a double or a 64-bit integer, as the field of [`Row`]; all are nullable. One row
//! group, uncompressed.

use crate::point::{Row, Verified};
use crate::SweepError;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A row with all values present, from which the types are derived.
fn whole() -> Row {
    let text = String::new();
    Row {
        trace: text.clone(),
        harts: 0,
        scheme: text.clone(),
        encoding: text.clone(),
        set: text.clone(),
        timestamps: false,
        instructions: 0,
        cycles: 0,
        bits: Some(0),
        bpi: Some(0.5),
        bpc: Some(0.5),
        messages: 0,
        conditionals: 0,
        outcome_misses: Some(0),
        outcome_miss_percent: Some(0.5),
        indirects: 0,
        target_misses: Some(0),
        target_miss_percent: Some(0.5),
        traps: 0,
        state_bits: 0,
        rule_gates: 0,
        verified: Verified::Equal,
        trace_hash: text.clone(),
        seconds: 0.5,
        file: text,
        seed: Some(0),
        startup_instructions: Some(0),
        startup_bits: Some(0),
    }
}

fn object(row: &Row) -> Result<Map<String, Value>, String> {
    match serde_json::to_value(row) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("a row is not an object".into()),
        Err(e) => Err(e.to_string()),
    }
}

fn physical(value: &Value) -> Physical {
    match value {
        Value::Bool(_) => Physical::BOOLEAN,
        Value::Number(n) if n.is_f64() => Physical::DOUBLE,
        Value::Number(_) => Physical::INT64,
        _ => Physical::BYTE_ARRAY,
    }
}

/// Writes a column: definition levels, then the values that are present.
fn column<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &[Option<&Value>],
    of: impl Fn(&Value) -> Option<T::T>,
) -> parquet::errors::Result<()> {
    let values: Vec<Option<T::T>> = values.iter().map(|v| v.and_then(&of)).collect();
    let there: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    writer.typed::<T>().write_batch(&values, Some(&there), None).map(|_| ())
}

fn write(rows: &[Map<String, Value>], whole: &Map<String, Value>) -> parquet::errors::Result<Vec<u8>> {
    let mut fields = Vec::new();
    for (name, value) in whole {
        let kind = physical(value);
        let text = (kind == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, kind).with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(field.with_logical_type(text).build()?));
    }
    let schema = Arc::new(Type::group_type_builder("results").with_fields(fields).build()?);
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::default()))?;
    let mut group = file.next_row_group()?;
    for (name, value) in whole {
        let values: Vec<Option<&Value>> = rows.iter().map(|r| r.get(name)).collect();
        let Some(mut writer) = group.next_column()? else { break };
        match physical(value) {
            Physical::BOOLEAN => column::<BoolType>(&mut writer, &values, Value::as_bool)?,
            Physical::DOUBLE => column::<DoubleType>(&mut writer, &values, Value::as_f64)?,
            Physical::INT64 => column::<Int64Type>(&mut writer, &values, |v| v.as_u64().map(|n| n as i64))?,
            _ => column::<ByteArrayType>(&mut writer, &values, |v| v.as_str().map(ByteArray::from))?,
        }
        writer.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

/// The bytes of the file.
///
/// # Errors
/// If the `parquet` crate reports one; the file name is added.
pub(crate) fn bytes(rows: &[Row]) -> Result<Vec<u8>, SweepError> {
    let failed = |e: String| SweepError::Other(format!("results.parquet: {e}"));
    let objects = rows.iter().map(object).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    write(&objects, &object(&whole()).map_err(failed)?).map_err(|e| failed(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Prints types and rows, as another library reads them.
    const READ: &str = "import sys, pyarrow.parquet as p; t = p.read_table(sys.argv[1]); \
        print([str(f.type) for f in t.schema if f.name in ('trace', 'harts', 'timestamps', 'bpi', 'verified')]); \
        print([(r['trace'], r['instructions'], r['bits'], r['bpi'], r['timestamps'], r['verified']) for r in t.to_pylist()])";

    #[test]
    fn another_library_reads_the_rows_that_were_written() {
        let large = Row { trace: "a.ret".into(), instructions: 1 << 40, bpi: Some(1.0), timestamps: true, ..whole() };
        let file = tempfile::NamedTempFile::new().unwrap();
        let rows = [large, Row { bits: None, bpi: None, ..whole() }];
        std::fs::write(file.path(), bytes(&rows).unwrap()).unwrap();
        let o = Command::new("python3").args(["-c", READ]).arg(file.path()).output().unwrap();
        let error = String::from_utf8_lossy(&o.stderr);
        if error.contains("No module named") {
            eprintln!(
                "another_library_reads_the_rows: skipped, pyarrow is not installed; tools/setup installs it for --long"
            );
            return;
        }
        let right = "['string', 'int64', 'bool', 'double', 'string']\n\
             [('a.ret', 1099511627776, 0, 1.0, True, 'equal'), ('', 0, None, None, False, 'equal')]\n";
        assert_eq!(String::from_utf8_lossy(&o.stdout), right, "{error}");
    }
}
