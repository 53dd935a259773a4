use super::*;

const FUZZ: Fuzz<'_> = Fuzz { seeds: &[b"key: value\n"], words: &[b"key", b": ", b"boom"] };

fn message(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn what_never_panics_passes() {
    FUZZ.run(|input| assert!(input.len() <= LONG));
}

#[test]
fn a_panic_is_found_and_cut_down_to_its_cause() {
    let said = message(|| {
        FUZZ.run(|input| {
            assert!(!input.windows(4).any(|word| word == b"boom"));
        });
    });
    assert_eq!(said, "it panics on b\"boom\"");
}

#[test]
fn quadratic_work_is_found() {
    let said = message(|| {
        check_growth(&[b"key".to_vec()], &|input: &[u8]| {
            let mut sum = 0;
            for at in 0..input.len() {
                // Work that grows with the place, as of a parser that begins anew at each word.
                sum += input[..at / 32].iter().filter(|byte| **byte == b'x').count();
            }
            std::hint::black_box(sum);
        });
    });
    assert!(said.contains("time grows faster than input"), "{said}");
}

#[test]
fn linear_work_is_not_taken_for_quadratic() {
    check_growth(&[b"key".to_vec(), b"v".to_vec()], &|input: &[u8]| {
        for _ in 0..1_000 {
            std::hint::black_box(input.iter().filter(|byte| **byte == b'x').count());
        }
    });
}

#[test]
fn the_same_seed_makes_the_same_inputs() {
    let inputs = |seed| {
        let mut dice = Dice::new(seed);
        let mutator = Mutator { words: FUZZ.words, max: MAX_INPUT };
        let mut input = FUZZ.seeds[0].to_vec();
        let step = |_| {
            mutator.change(&mut dice, &mut input, b"other");
            input.clone()
        };
        (0..200).map(step).collect::<Vec<_>>()
    };
    assert_eq!(inputs(7), inputs(7));
    assert_ne!(inputs(7), inputs(8));
}
