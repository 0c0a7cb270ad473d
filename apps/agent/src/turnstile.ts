/** Lets a fixed number of lanes through at a time, first come first served. */
export class Turnstile {
  #free: number
  #line: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  get hasLine(): boolean {
    return this.#line.length > 0
  }

  async enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve) => this.#line.push(resolve))
  }

  /** Hands the place on directly: a newcomer cannot slip in between. */
  leave(): void {
    const next = this.#line.shift()
    if (next) next()
    else this.#free++
  }
}
