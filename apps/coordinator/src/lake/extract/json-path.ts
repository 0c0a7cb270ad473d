/** A path in JSON: `$.items[0].name`, `$.items[*].name`, `$["a name"]`. Where it leads nowhere there is nothing. */

const STEP = /\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[\*\]|\["((?:[^"\\]|\\.)*)"\]/y

/** Null: it is no such path. */
function stepsOf(path: string): (string | number | null)[] | null {
  const steps: (string | number | null)[] = []
  let at = path.startsWith('$') ? 1 : 0
  const text = at === 0 && /^[A-Za-z_]/.test(path) ? `.${path}` : path
  while (at < text.length) {
    STEP.lastIndex = at
    const match = STEP.exec(text)
    if (match === null) return null
    const [whole, name, index, quoted] = match
    if (name !== undefined) steps.push(name)
    else if (index !== undefined) steps.push(Number(index))
    else steps.push(quoted === undefined ? null : (JSON.parse(`"${quoted}"`) as string))
    at += whole.length
  }
  return steps
}

export const isJsonPath = (path: string): boolean => stepsOf(path) !== null

/** What is there and is not null. */
export function valuesAt(root: unknown, path: string): unknown[] {
  const steps = stepsOf(path)
  if (steps === null) return []
  let values: unknown[] = [root]
  for (const step of steps) values = values.flatMap((value) => stepInto(value, step))
  return values.filter((value) => value !== null && value !== undefined)
}

function stepInto(value: unknown, step: string | number | null): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (step === null) return Object.values(value)
  return Object.hasOwn(value, step) ? [(value as Record<string | number, unknown>)[step]] : []
}
