/** The words that came and went inside one block: Myers' O(ND) on words, given up when D grows large. */

export interface WordRun {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Beyond this many edits a block is rather new than edited, and the work would grow with the square. */
const MOST_EDITS = 200

export function diffWords(before: string, after: string): WordRun[] {
  const [old, fresh] = [before.split(' '), after.split(' ')]
  const steps = editSteps(old, fresh)
  if (steps === null) {
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ]
  }
  return joinedRuns(steps)
}

function joinedRuns(steps: readonly WordRun[]): WordRun[] {
  const runs: WordRun[] = []
  for (const { kind, text } of steps) {
    const last = runs.at(-1)
    if (last?.kind === kind) last.text += ` ${text}`
    else runs.push({ kind, text })
  }
  return runs
}

/** `reach[k]`: how far into the old words the best path on diagonal k has come after d edits. */
function editSteps(old: string[], fresh: string[]): WordRun[] | null {
  const most = Math.min(MOST_EDITS, old.length + fresh.length)
  let reach = new Map([[1, 0]])
  const trail: Map<number, number>[] = []
  for (let edits = 0; edits <= most; edits++) {
    trail.push(reach)
    const next = new Map<number, number>(reach)
    for (let k = -edits; k <= edits; k += 2) {
      const isDown =
        k === -edits || (k !== edits && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1))
      let x = isDown ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1
      while (x < old.length && x - k < fresh.length && old[x] === fresh[x - k]) x += 1
      next.set(k, x)
      if (x >= old.length && x - k >= fresh.length) return stepsBack(trail, old, fresh)
    }
    reach = next
  }
  return null
}

function stepsBack(
  trail: readonly Map<number, number>[],
  old: string[],
  fresh: string[],
): WordRun[] {
  const steps: WordRun[] = []
  let [x, y] = [old.length, fresh.length]
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reach = trail[edits]!
    const k = x - y
    const isDown =
      k === -edits || (k !== edits && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1))
    const fromX = isDown ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0)
    const fromY = fromX - (isDown ? k + 1 : k - 1)
    const [startX, startY] = edits === 0 ? [0, 0] : isDown ? [fromX, fromY + 1] : [fromX + 1, fromY]
    for (; x > startX && y > startY; x--, y--) steps.push({ kind: 'same', text: old[x - 1]! })
    if (edits === 0) break
    if (isDown) steps.push({ kind: 'added', text: fresh[y - 1]! })
    else steps.push({ kind: 'removed', text: old[x - 1]! })
    ;[x, y] = [fromX, fromY]
  }
  return steps.toReversed()
}
