/** Round figures beside a plot, and days below it. */

/** A top above the highest figure, and even steps up to it; whole ones, for nobody edits by halves. */
export function countSteps(highest: number, most = 4): number[] {
  const top = Math.max(1, highest)
  const rough = top / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!,
  )
  const steps: number[] = []
  for (let figure = 0; figure < top + step; figure += step) steps.push(figure)
  return steps
}

/** Places along the bottom that can be labelled, evenly, the first one included. */
export function labelPlaces(count: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, most)))
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every)
}
