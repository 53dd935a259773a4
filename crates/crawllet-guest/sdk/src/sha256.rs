//! What is the SHA-256 digest of some bytes? (FIPS 180-4.)

const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// The digest.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut state = START;
    let mut blocks = bytes.chunks_exact(64);
    for block in &mut blocks {
        compress(&mut state, block);
    }
    let rest = blocks.remainder();
    let mut last = [0; 128];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = 0x80;
    let end = if rest.len() < 56 { 64 } else { 128 };
    last[end - 8..end].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    last[..end].chunks_exact(64).for_each(|block| compress(&mut state, block));
    let mut out = [0; 32];
    for (out, word) in out.chunks_exact_mut(4).zip(state) {
        out.copy_from_slice(&word.to_be_bytes());
    }
    out
}

/// Sixteen rounds at a time: after each round the eight words of the state move on by one place, so with
/// their names moved instead they are back in their places after eight. Every place in `w` is known to the
/// compiler. A metered machine needs half the steps that the standard's own wording costs it.
fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut w = [0_u32; 16];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
            *word = u32::from_be_bytes(bytes);
        }
    }
    let mut s = *state;
    for (place, k) in K.chunks_exact(16).enumerate() {
        if place > 0 {
            eight_more::<0>(&mut w);
            eight_more::<8>(&mut w);
        }
        eight_rounds(&mut s, &k[..8], &w[..8]);
        eight_rounds(&mut s, &k[8..], &w[8..]);
    }
    for (old, new) in state.iter_mut().zip(s) {
        *old = old.wrapping_add(new);
    }
}

/// The next eight words of the schedule, in the place of those from 16 before.
#[inline(always)]
fn eight_more<const AT: usize>(w: &mut [u32; 16]) {
    let mut next = |i: usize| {
        let (x, y) = (w[(AT + i + 1) & 15], w[(AT + i + 14) & 15]);
        let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
        let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
        let sum = w[AT + i].wrapping_add(s0).wrapping_add(w[(AT + i + 9) & 15]);
        w[AT + i] = sum.wrapping_add(s1);
    };
    next(0);
    next(1);
    next(2);
    next(3);
    next(4);
    next(5);
    next(6);
    next(7);
}

#[inline(always)]
fn eight_rounds(s: &mut [u32; 8], k: &[u32], w: &[u32]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *s;
    if let ([k0, k1, k2, k3, k4, k5, k6, k7], [w0, w1, w2, w3, w4, w5, w6, w7]) = (k, w) {
        h = round(a, b, c, &mut d, [e, f, g, h], k0.wrapping_add(*w0));
        g = round(h, a, b, &mut c, [d, e, f, g], k1.wrapping_add(*w1));
        f = round(g, h, a, &mut b, [c, d, e, f], k2.wrapping_add(*w2));
        e = round(f, g, h, &mut a, [b, c, d, e], k3.wrapping_add(*w3));
        d = round(e, f, g, &mut h, [a, b, c, d], k4.wrapping_add(*w4));
        c = round(d, e, f, &mut g, [h, a, b, c], k5.wrapping_add(*w5));
        b = round(c, d, e, &mut f, [g, h, a, b], k6.wrapping_add(*w6));
        a = round(b, c, d, &mut e, [f, g, h, a], k7.wrapping_add(*w7));
    }
    *s = [a, b, c, d, e, f, g, h];
}

/// One round: the new `a`; what was `d` becomes the new `e`.
#[inline(always)]
fn round(a: u32, b: u32, c: u32, d: &mut u32, [e, f, g, h]: [u32; 4], word: u32) -> u32 {
    let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let one = h.wrapping_add(s1).wrapping_add(g ^ (e & (f ^ g))).wrapping_add(word);
    let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    *d = d.wrapping_add(one);
    one.wrapping_add(s0).wrapping_add((a & b) | (c & (a | b)))
}

#[cfg(test)]
mod tests {
    use super::sha256;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_standards_examples_come_out() {
        let cases = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ];
        for (text, digest) in cases {
            assert_eq!(hex(&sha256(text.as_bytes())), digest);
        }
        let million = vec![b'a'; 1_000_000];
        let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(hex(&sha256(&million)), digest);
    }
}
