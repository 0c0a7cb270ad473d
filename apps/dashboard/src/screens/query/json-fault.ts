/** Where a text stops being JSON: engines name the place in different words, or not at all. */

const SPACE = /[ \t\r\n]*/y
const WORD =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy
const NAME = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy

class Fault {
  readonly at: number
  constructor(at: number) {
    this.at = at
  }
}

/** The place of the first character that cannot stand there; null when it is JSON. */
export function jsonFault(text: string): number | null {
  try {
    const end = afterSpace(text, afterValue(text, 0))
    return end === text.length ? null : end
  } catch (fault) {
    if (fault instanceof Fault) return fault.at
    throw fault
  }
}

function afterValue(text: string, from: number): number {
  const at = afterSpace(text, from)
  if (text[at] === '{') return afterMembers(text, at, '}')
  if (text[at] === '[') return afterMembers(text, at, ']')
  return after(WORD, text, at)
}

/** Of an object or a list, from its opening sign on. */
function afterMembers(text: string, open: number, close: '}' | ']'): number {
  let at = afterSpace(text, open + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    if (close === '}') at = afterSign(text, after(NAME, text, at), ':')
    at = afterSpace(text, afterValue(text, at))
    if (text[at] === close) return at + 1
    at = afterSpace(text, afterSign(text, at, ','))
  }
}

function afterSign(text: string, from: number, sign: string): number {
  const at = afterSpace(text, from)
  if (text[at] !== sign) throw new Fault(at)
  return at + 1
}

const afterSpace = (text: string, from: number): number => after(SPACE, text, from)

function after(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  const match = pattern.exec(text)
  if (match === null) throw new Fault(from)
  return from + match[0].length
}
