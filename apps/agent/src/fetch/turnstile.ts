export interface Place {
  /** Waits for its turn; false when everyone in the line was sent away. */
  enter(): Promise<boolean>
  leave(): void
}

/** Lets a number of lanes through at a time, first come first served. */
export class Turnstile {
  #places: number
  #inside = 0
  #line: ((isIn: boolean) => void)[] = []

  constructor(places: number) {
    this.#places = places
  }

  get places(): number {
    return this.#places
  }

  /** With fewer permits no lane is interrupted: those at work leave in their own time. */
  resize(places: number): void {
    this.#places = places
    this.#admit()
  }

  /** Sends away all who wait. */
  dismiss(): void {
    const line = this.#line
    this.#line = []
    for (const come of line) come(false)
  }

  /** One lane's place, taken and given up as it goes. */
  place(): Place {
    let isHeld = false
    return {
      enter: async () => {
        if (isHeld) return true
        if (this.#inside < this.#places) {
          this.#inside++
          return (isHeld = true)
        }
        return new Promise((resolve) => {
          this.#line.push((isIn) => {
            isHeld = isIn
            resolve(isIn)
          })
        })
      },
      leave: () => {
        if (!isHeld) return
        isHeld = false
        this.#inside--
        this.#admit()
      },
    }
  }

  /** The place is taken here, not when its lane notices: a newcomer cannot slip in between. */
  #admit(): void {
    while (this.#inside < this.#places) {
      const come = this.#line.shift()
      if (!come) return
      this.#inside++
      come(true)
    }
  }
}
