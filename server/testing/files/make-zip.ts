import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly data: string | Buffer
  /** What the directory says about the size of the data, in bytes; the truth by default. */
  readonly declaredSize?: number
  readonly isEncrypted?: boolean
}

/** Makes a ZIP file. Entries with the same buffer as the one before them share its data, as in a bomb of overlaps. */
export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  let start = 0
  let former: string | Buffer | undefined
  let packed = Buffer.alloc(0)
  let checksum = 0
  for (const { name, data, declaredSize, isEncrypted } of entries) {
    const bytes = Buffer.from(data)
    const isShared = Buffer.isBuffer(data) && data === former
    if (!isShared) {
      packed = deflateRawSync(bytes)
      checksum = crc32(bytes)
    }
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(0x800 | (isEncrypted === true ? 1 : 0), 2)
    header.writeUInt16LE(8, 4)
    header.writeUInt32LE(checksum, 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(declaredSize ?? bytes.length, 18)
    header.writeUInt16LE(Buffer.byteLength(name), 22)
    if (!isShared) {
      start = offset
      const file = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), header, Buffer.from(name), packed])
      files.push(file)
      offset += file.length
    }
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(start, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, rest, Buffer.from(name))
    former = data
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, listed, end])
}
