//! Is this module one that we compile at all?
//!
//! Read before the compiler sees a byte of it: features, number and size of functions, imports and exports with
//! their types, memory, tables, no start function. What passes is bounded work for the compiler, and its process
//! has limits for the rest.

use wasmparser::{
    CompositeInnerType, ExternalKind, FuncType, Parser, Payload, TypeRef, ValType, Validator,
    WasmFeatures,
};

/// Functions of a module, its own.
pub const MAX_FUNCTIONS: u32 = 20_000;

/// Bytes of one function: the work of the compiler grows faster than this.
pub const MAX_FUNCTION_BYTES: usize = 256 << 10;

/// Local variables of one function.
pub const MAX_LOCALS: u32 = 5_000;

/// Tables of a module.
pub const MAX_TABLES: u32 = 2;

/// Elements of a table.
pub const MAX_TABLE_ELEMENTS: u64 = 10_000;

/// Names of the module from which everything is imported.
pub const IMPORTS_FROM: &str = "clp1";

/// What may be imported: name, number of `i32` parameters, whether it has an `i32` result.
const IMPORTS: &[(&str, usize, bool)] = &[
    ("fetch", 2, true),
    ("read", 3, true),
    ("meta", 3, true),
    ("emit", 2, true),
    ("budget", 1, true),
    ("log", 2, false),
];

/// What must be exported besides `memory`: all give an `i32`.
const EXPORTS: &[(&str, usize)] =
    &[("clp_abi", 0), ("clp_alloc", 1), ("clp_init", 2), ("clp_run", 0)];

/// Exports that linkers add unasked, and that give nothing away.
const HARMLESS_GLOBALS: &[&str] = &["__data_end", "__heap_base", "__stack_pointer"];

/// What a module may use: the core of WebAssembly, as compilers write it today. No threads, no second memory, no
/// 64-bit memory, no vectors, no exceptions, no tail calls, no garbage collection, no components.
fn features() -> WasmFeatures {
    WasmFeatures::MUTABLE_GLOBAL
        | WasmFeatures::SATURATING_FLOAT_TO_INT
        | WasmFeatures::SIGN_EXTENSION
        | WasmFeatures::MULTI_VALUE
        | WasmFeatures::BULK_MEMORY
        | WasmFeatures::REFERENCE_TYPES
        | WasmFeatures::FLOATS
}

/// Checks `module`.
///
/// # Errors
/// With a sentence about the first thing that is wrong.
pub fn validate(module: &[u8], max_bytes: usize) -> Result<(), String> {
    if module.len() > max_bytes {
        return Err(format!("the module has {} bytes, {max_bytes} are allowed", module.len()));
    }
    let mut shape = Shape::default();
    let mut validator = Validator::new_with_features(features());
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(broken)?;
        shape.look(&payload)?;
        match validator.payload(&payload).map_err(broken)? {
            wasmparser::ValidPayload::Func(function, body) => {
                // Checked one by one: a module is refused before all of it is read.
                let mut function = function.into_validator(Default::default());
                function.validate(&body).map_err(broken)?;
            }
            wasmparser::ValidPayload::End(types) => shape.exports(types.as_ref())?,
            _ => {}
        }
    }
    shape.complete()
}

fn broken(error: wasmparser::BinaryReaderError) -> String {
    format!("the module is malformed: {}", error.message())
}

#[derive(Default)]
struct Shape {
    imported: Vec<String>,
    exported: Vec<(String, ExternalKind, u32)>,
    finished: bool,
}

impl Shape {
    fn look(&mut self, payload: &Payload<'_>) -> Result<(), String> {
        match payload {
            Payload::StartSection { .. } => return Err("the module has a start function".into()),
            Payload::FunctionSection(section) if section.count() > MAX_FUNCTIONS => {
                return Err(format!(
                    "the module has {} functions, {MAX_FUNCTIONS} are allowed",
                    section.count()
                ));
            }
            Payload::CodeSectionEntry(body) => {
                let bytes = body.range().len();
                if bytes > MAX_FUNCTION_BYTES {
                    return Err(format!(
                        "a function has {bytes} bytes, {MAX_FUNCTION_BYTES} are allowed"
                    ));
                }
                let mut locals = 0u32;
                for run in body.get_locals_reader().map_err(broken)? {
                    locals = locals.saturating_add(run.map_err(broken)?.0);
                    if locals > MAX_LOCALS {
                        return Err(format!("a function has more than {MAX_LOCALS} locals"));
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    let import = import.map_err(broken)?;
                    self.import(import.module, import.name, import.ty)?;
                }
            }
            Payload::TableSection(section) => {
                if section.count() > MAX_TABLES {
                    return Err(format!("the module has more than {MAX_TABLES} tables"));
                }
                for table in section.clone() {
                    let table = table.map_err(broken)?.ty;
                    if table.initial > MAX_TABLE_ELEMENTS {
                        return Err(format!("a table has more than {MAX_TABLE_ELEMENTS} elements"));
                    }
                }
            }
            Payload::ExportSection(section) => {
                for export in section.clone() {
                    let export = export.map_err(broken)?;
                    self.exported.push((export.name.to_owned(), export.kind, export.index));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The signature is looked at in `exports`, when the types are known to be valid.
    fn import(&mut self, module: &str, name: &str, kind: TypeRef) -> Result<(), String> {
        if module != IMPORTS_FROM || !IMPORTS.iter().any(|(known, ..)| *known == name) {
            return Err(format!("the module imports {module}.{name}, which is not offered"));
        }
        if !matches!(kind, TypeRef::Func(_)) {
            return Err(format!("the module imports {module}.{name}, which is a function"));
        }
        self.imported.push(name.to_owned());
        Ok(())
    }

    fn exports(&mut self, types: wasmparser::types::TypesRef<'_>) -> Result<(), String> {
        let signature = |index: u32| -> Option<FuncType> {
            let id = types.core_function_at(index);
            match &types.get(id)?.composite_type.inner {
                CompositeInnerType::Func(function) => Some(function.clone()),
                _ => None,
            }
        };
        for (index, name) in self.imported.iter().enumerate() {
            let known = IMPORTS.iter().find(|(known, ..)| known == name);
            let function = u32::try_from(index).ok().and_then(signature);
            let fits = known.zip(function).is_some_and(|((_, parameters, result), function)| {
                is_plain(&function, *parameters, usize::from(*result))
            });
            if !fits {
                return Err(format!("the import {name} has another signature"));
            }
        }
        for (name, kind, index) in &self.exported {
            let fits = match (name.as_str(), kind) {
                ("memory", ExternalKind::Memory) => true,
                (name, ExternalKind::Global) => HARMLESS_GLOBALS.contains(&name),
                (name, ExternalKind::Func) => EXPORTS
                    .iter()
                    .find(|(known, _)| *known == name)
                    .zip(signature(*index))
                    .is_some_and(|((_, parameters), function)| is_plain(&function, *parameters, 1)),
                _ => false,
            };
            if !fits {
                return Err(format!("the export {name} is not part of the interface"));
            }
        }
        self.finished = true;
        Ok(())
    }

    fn complete(&self) -> Result<(), String> {
        let has = |wanted: &str| self.exported.iter().any(|(name, ..)| name == wanted);
        let wanted = EXPORTS.iter().map(|(name, _)| *name).chain(["memory"]);
        if let Some(missing) = wanted.into_iter().find(|name| !has(name)) {
            return Err(format!("the export {missing} is missing"));
        }
        if !self.finished {
            return Err("the module is cut short".into());
        }
        Ok(())
    }
}

fn is_plain(function: &FuncType, parameters: usize, results: usize) -> bool {
    let all = |types: &[ValType], count| {
        types.len() == count && types.iter().all(|kind| *kind == ValType::I32)
    };
    all(function.params(), parameters) && all(function.results(), results)
}
