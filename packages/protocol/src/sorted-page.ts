/** One page of a list that the station narrows down and sorts. */
export interface SortedPage<Row> {
  readonly rows: readonly Row[]
  /** Where the next page begins; null after the last one. */
  readonly next: string | null
  /** How many there are on all pages; null on every page but the first. */
  readonly total: number | null
}
