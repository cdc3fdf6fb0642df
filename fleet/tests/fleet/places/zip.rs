//! ZIP archives as `java.util.zip.ZipOutputStream` writes them: sizes and check sums stand behind each file.

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// An archive of these files; a name with a slash at its end is a folder.
pub(super) fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let place = u32::try_from(archive.len()).expect("small");
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(content).expect("memory");
        let packed = packed.finish().expect("memory");
        let mut crc = Crc::new();
        crc.update(content);
        let [packed_bytes, bytes] = [packed.len(), content.len()].map(|length| u32::try_from(length).expect("small"));
        let name_bytes = u16::try_from(name.len()).expect("short").to_le_bytes();
        // Version 2.0, bits 3 and 11, deflated, a date.
        let common = [20, 0, 0x08, 0x08, 8, 0, 0x21, 0x5c, 0x78, 0x5b];
        let sizes: Vec<u8> = [crc.sum(), packed_bytes, bytes].into_iter().flat_map(u32::to_le_bytes).collect();
        archive.extend([b"PK\x03\x04", &common[..], &[0; 12], &name_bytes, &[0, 0], name.as_bytes(), &packed].concat());
        archive.extend([b"PK\x07\x08", &sizes[..]].concat());
        directory.extend(
            [
                &b"PK\x01\x02"[..],
                &[20, 0],
                &common[..],
                &sizes,
                &name_bytes,
                &[0; 12],
                &place.to_le_bytes(),
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let count = u16::try_from(files.len()).expect("few").to_le_bytes();
    let [size, start] =
        [directory.len(), archive.len()].map(|length| u32::try_from(length).expect("small").to_le_bytes());
    archive.extend(directory);
    archive.extend([b"PK\x05\x06", &[0; 4], &count[..], &count, &size, &start, &[0, 0]].concat());
    archive
}
