//! What does a page show? Its content stream, run as far as text goes.

use super::file::File;
use super::font::{Font, Shown};
use super::layout::{Layout, Spot};
use super::object::{Dict, Item, Object, Reader, is_space};
use std::collections::HashMap;
use std::rc::Rc;

/// Operators of one file that are run.
const MAX_OPERATORS: usize = 3_000_000;
/// Operands that an operator can have, but for the parts of arrays.
const MAX_OPERANDS: usize = 16;
/// States that are put aside, and drawings inside each other.
const MAX_SAVED: usize = 64;
const MAX_NESTED: usize = 6;

/// Six numbers that move, turn and scale.
type Matrix = [f32; 6];

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// One after the other.
fn product(one: &Matrix, two: &Matrix) -> Matrix {
    [
        one[0] * two[0] + one[1] * two[2],
        one[0] * two[1] + one[1] * two[3],
        one[2] * two[0] + one[3] * two[2],
        one[2] * two[1] + one[3] * two[3],
        one[4] * two[0] + one[5] * two[2] + two[4],
        one[4] * two[1] + one[5] * two[3] + two[5],
    ]
}

/// What an operator finds when it is run.
#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    char_space: f32,
    word_space: f32,
    scale: f32,
    leading: f32,
}

/// Runs the content of pages, one after the other.
pub(super) struct Interpreter<'f, 'a> {
    pub(super) file: &'f mut File<'a>,
    pub(super) layout: Layout,
    fonts: HashMap<u32, Rc<Font>>,
    operators: usize,
}

/// One content stream that is run.
struct Run {
    resources: Rc<Dict>,
    /// The fonts of the resources by name; `None` for one that is not there.
    fonts: HashMap<String, Option<Rc<Font>>>,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
}

impl<'f, 'a> Interpreter<'f, 'a> {
    pub(super) fn new(file: &'f mut File<'a>, limit: usize) -> Interpreter<'f, 'a> {
        Interpreter { file, layout: Layout::new(limit), fonts: HashMap::new(), operators: 0 }
    }

    /// Runs the content of a page.
    pub(super) fn page(&mut self, page: &Dict, resources: Rc<Dict>) {
        let Some(contents) = page.get("Contents") else {
            return;
        };
        // One stream, or several that are one.
        let parts = match self.file.resolve(contents) {
            Some(Object::Array(parts)) => parts,
            _ => vec![contents.clone()],
        };
        let mut data = Vec::new();
        for part in &parts {
            if let Some(stream) = self.file.stream(part)
                && let Some(bytes) = self.file.unpack(&stream)
            {
                data.extend(bytes);
                data.push(b'\n');
            }
        }
        let state = State {
            matrix: IDENTITY,
            font: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
        };
        self.run(&data, resources, state, 0);
        self.layout.end_page();
    }

    fn run(&mut self, data: &[u8], resources: Rc<Dict>, state: State, depth: usize) {
        let mut run = Run {
            resources,
            fonts: HashMap::new(),
            state,
            saved: Vec::new(),
            text: IDENTITY,
            line: IDENTITY,
        };
        let mut reader = Reader::new(data, 0);
        let mut operands: Vec<Object> = Vec::new();
        while let Some(item) = reader.item() {
            match item {
                Item::Operand(object) if operands.len() < MAX_OPERANDS => operands.push(object),
                Item::Operand(_) => {}
                Item::Operator(name) => {
                    self.operators += 1;
                    if self.operators > MAX_OPERATORS || self.layout.is_full() {
                        return;
                    }
                    match name {
                        b"ID" => skip_picture(data, &mut reader),
                        b"Do" => self.draw(&run, &operands, depth),
                        _ => self.operate(&mut run, name, &operands),
                    }
                    operands.clear();
                }
            }
        }
    }

    /// Runs a drawing that has a name.
    fn draw(&mut self, run: &Run, operands: &[Object], depth: usize) {
        let Some(name) = operands.first().and_then(Object::as_name) else {
            return;
        };
        let drawings = self.file.dict(&run.resources, "XObject");
        let Some(stream) =
            drawings.as_ref().and_then(|all| all.get(name)).and_then(|one| self.file.stream(one))
        else {
            return;
        };
        if stream.dict.name("Subtype") != Some("Form") || depth >= MAX_NESTED {
            return;
        }
        let Some(data) = self.file.unpack(&stream) else {
            return;
        };
        let matrix = match self.file.lookup(&stream.dict, "Matrix") {
            Some(Object::Array(numbers)) => matrix_of(&numbers).unwrap_or(IDENTITY),
            _ => IDENTITY,
        };
        let resources = self
            .file
            .dict(&stream.dict, "Resources")
            .map_or_else(|| run.resources.clone(), Rc::new);
        let mut state = run.state.clone();
        state.matrix = product(&matrix, &state.matrix);
        self.run(&data, resources, state, depth + 1);
    }

    fn operate(&mut self, run: &mut Run, name: &[u8], operands: &[Object]) {
        let number =
            |place: usize| operands.get(place).and_then(Object::as_number).map(|n| n as f32);
        let first = number(0).unwrap_or(0.0);
        match name {
            b"q" if run.saved.len() < MAX_SAVED => run.saved.push(run.state.clone()),
            b"Q" => {
                if let Some(state) = run.saved.pop() {
                    run.state = state;
                }
            }
            b"cm" => {
                if let Some(matrix) = matrix_of(operands) {
                    run.state.matrix = product(&matrix, &run.state.matrix);
                }
            }
            b"BT" => (run.text, run.line) = (IDENTITY, IDENTITY),
            b"Tf" => {
                let name = operands.first().and_then(Object::as_name).unwrap_or("");
                run.state.font = self.font(run, name);
                run.state.size = number(1).unwrap_or(1.0);
            }
            b"Tc" => run.state.char_space = first,
            b"Tw" => run.state.word_space = first,
            b"Tz" => run.state.scale = first / 100.0,
            b"TL" => run.state.leading = first,
            b"Tm" => {
                if let Some(matrix) = matrix_of(operands) {
                    (run.text, run.line) = (matrix, matrix);
                }
            }
            b"Td" => run.move_line(first, number(1).unwrap_or(0.0)),
            b"TD" => {
                let down = number(1).unwrap_or(0.0);
                run.state.leading = -down;
                run.move_line(first, down);
            }
            b"T*" => run.next_line(),
            b"Tj" => self.show(run, operands.first()),
            b"'" => {
                run.next_line();
                self.show(run, operands.first());
            }
            b"\"" => {
                run.state.word_space = first;
                run.state.char_space = number(1).unwrap_or(0.0);
                run.next_line();
                self.show(run, operands.get(2));
            }
            b"TJ" => {
                for part in operands.first().and_then(Object::as_array).unwrap_or(&[]) {
                    match part {
                        Object::Number(by) => {
                            let by = -*by as f32 / 1_000.0 * run.state.size * run.state.scale;
                            run.text = product(&[1.0, 0.0, 0.0, 1.0, by, 0.0], &run.text);
                        }
                        text => self.show(run, Some(text)),
                    }
                }
            }
            _ => {}
        }
    }

    /// The font of a name.
    fn font(&mut self, run: &mut Run, name: &str) -> Option<Rc<Font>> {
        if let Some(known) = run.fonts.get(name) {
            return known.clone();
        }
        let all = self.file.dict(&run.resources, "Font");
        let found = all.as_ref().and_then(|all| all.get(name)).and_then(|font| {
            let number = match font {
                Object::Ref(number) => Some(*number),
                _ => None,
            };
            if let Some(known) = number.and_then(|number| self.fonts.get(&number)) {
                return Some(Rc::clone(known));
            }
            let Object::Dict(dict) = self.file.resolve(font)? else {
                return None;
            };
            let font = Rc::new(Font::read(self.file, &dict));
            if let Some(number) = number {
                self.fonts.insert(number, Rc::clone(&font));
            }
            Some(font)
        });
        run.fonts.insert(name.to_owned(), found.clone());
        found
    }

    /// Shows text and moves on behind it.
    fn show(&mut self, run: &mut Run, text: Option<&Object>) {
        let (Some(bytes), Some(font)) = (text.and_then(Object::as_text), &run.state.font) else {
            return;
        };
        let shown = font.show(bytes);
        let at = run.spot();
        let width = run.width(&shown);
        run.text = product(&[1.0, 0.0, 0.0, 1.0, width, 0.0], &run.text);
        self.layout.show(&shown.text, at, run.spot());
    }
}

impl Run {
    fn move_line(&mut self, right: f32, up: f32) {
        self.line = product(&[1.0, 0.0, 0.0, 1.0, right, up], &self.line);
        self.text = self.line;
    }

    fn next_line(&mut self) {
        self.move_line(0.0, -self.state.leading);
    }

    /// How far text moves.
    fn width(&self, shown: &Shown) -> f32 {
        let State { size, char_space, word_space, scale, .. } = self.state;
        let spaces = char_space * shown.codes as f32 + word_space * shown.spaces as f32;
        (shown.width * size + spaces) * scale
    }

    /// Where the next text begins, seen in the direction in which it runs.
    fn spot(&self) -> Spot {
        let [a, b, c, d, x, y] = product(&self.text, &self.state.matrix);
        let along = a.hypot(b);
        let size = (self.state.size * c.hypot(d)).abs();
        if !(along.is_normal() && x.is_finite() && y.is_finite() && size.is_finite()) {
            return Spot { x: 0.0, y: 0.0, size: 1.0 };
        }
        Spot { x: (x * a + y * b) / along, y: (y * a - x * b) / along, size }
    }
}

fn matrix_of(operands: &[Object]) -> Option<Matrix> {
    let mut matrix = [0.0; 6];
    for (place, number) in matrix.iter_mut().enumerate() {
        *number = operands.get(place)?.as_number()? as f32;
    }
    Some(matrix)
}

/// Skips the bytes of a picture that stands in the stream.
fn skip_picture(data: &[u8], reader: &mut Reader<'_>) {
    let rest = &data[reader.at..];
    let ends = |at: &usize| {
        let space = |at: usize| rest.get(at).is_none_or(|byte| is_space(*byte));
        space(at.wrapping_sub(1)) && space(at + 2)
    };
    let end = memchr::memmem::find_iter(rest, b"EI").find(ends);
    reader.at = end.map_or(data.len(), |end| reader.at + end + 2);
}
