/**
 * A .tgz as npm takes it, the same bytes for the same files on every machine: sorted names, fixed
 * times, owners and modes (POSIX.1-1988 ustar, then gzip without a name, a time or a system).
 */
import { gzipSync } from 'node:zlib'

export interface PackedFile {
  /** Below `package/`, with forward slashes. */
  path: string
  body: Buffer
  isExecutable?: boolean
}

const BLOCK_BYTES = 512
/** npm's own: 1985-10-26T08:15:00Z. */
const MTIME_S = 499_162_500
const NAME_BYTES = 100

export function tarball(files: readonly PackedFile[]): Buffer {
  const sorted = files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const parts = sorted.flatMap((file) => [header(file), file.body, padding(file.body.length)])
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 9 })
  // RFC 1952: the byte that names the operating system; 255 is "unknown".
  packed[9] = 255
  return packed
}

function padding(bytes: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)
}

function header({ path, body, isExecutable = false }: PackedFile): Buffer {
  const name = `package/${path}`
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`${name} is too long for a tar header.`)
  const block = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, at: number, digits: number): void => {
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
  }
  block.write(name, 0, 'utf8')
  octal(isExecutable ? 0o755 : 0o644, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(body.length, 124, 11)
  octal(MTIME_S, 136, 11)
  block.write('0', 156, 'latin1')
  block.write('ustar\u000000', 257, 'latin1')
  // The sum of all bytes, its own field counted as spaces.
  block.fill(' ', 148, 156)
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  )
  block[154] = 0
  return block
}
