/** Finds the name that a user probably meant. */

/** Two letters that changed places are two mistakes; of a very short name that would be nearly all of it. */
const mistakesMost = ({ length }: string): number =>
  length <= 3 ? 1 : Math.max(2, Math.floor(length / 3))

/** `; near: title, titles`, or what there is when nothing is near. */
export function nearNames(wrong: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, distance: distanceOf(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= mistakesMost(name))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
  if (near.length > 0) return `; near: ${near.slice(0, 3).join(', ')}`
  return names.length > 0 ? `; there are ${names.join(', ')}` : '; there are none'
}

/** Letters to change, add or leave out. One row of the table at a time: names are short. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (let line = 0; line < one.length; line += 1) {
    const next = [line + 1]
    for (let place = 1; place <= other.length; place += 1) {
      const change = (row[place - 1] ?? 0) + (other[place - 1] === one[line] ? 0 : 1)
      next.push(Math.min(change, (row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
