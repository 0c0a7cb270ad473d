export interface Place {
  enter(): Promise<void>
  leave(): void
}

/** Lets a fixed number of lanes through at a time, first come first served. */
export class Turnstile {
  #free: number
  #line: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** One lane's place, taken and given up as it goes. */
  place(): Place {
    let isHeld = false
    return {
      enter: async () => {
        if (isHeld) return
        isHeld = true
        await this.#enter()
      },
      leave: () => {
        if (!isHeld) return
        isHeld = false
        this.#leave()
      },
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve) => this.#line.push(resolve))
  }

  /** Hands the place on directly: a newcomer cannot slip in between. */
  #leave(): void {
    const next = this.#line.shift()
    if (next) next()
    else this.#free++
  }
}
