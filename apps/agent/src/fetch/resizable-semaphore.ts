export interface Permit {
  /** Waits for its turn; false when everyone in the line was sent away. */
  acquire(): Promise<boolean>
  release(): void
}

/** Lets a number of lanes through at a time, first come first served. */
export class ResizableSemaphore {
  #permits: number
  #held = 0
  #waiting: ((isIn: boolean) => void)[] = []

  constructor(permits: number) {
    this.#permits = permits
  }

  get permits(): number {
    return this.#permits
  }

  /** With fewer permits no lane is interrupted: those at work leave in their own time. */
  resize(permits: number): void {
    this.#permits = permits
    this.#admit()
  }

  /** Sends away all who wait. */
  dismiss(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake(false)
  }

  /** One lane's permit, acquired and released as it goes. */
  permit(): Permit {
    let isHeld = false
    return {
      acquire: async () => {
        if (isHeld) return true
        if (this.#held < this.#permits) {
          this.#held++
          return (isHeld = true)
        }
        return new Promise((resolve) => {
          this.#waiting.push((isIn) => {
            isHeld = isIn
            resolve(isIn)
          })
        })
      },
      release: () => {
        if (!isHeld) return
        isHeld = false
        this.#held--
        this.#admit()
      },
    }
  }

  /** The permit is taken here, not when its lane notices: a newcomer cannot slip in between. */
  #admit(): void {
    while (this.#held < this.#permits) {
      const wake = this.#waiting.shift()
      if (!wake) return
      this.#held++
      wake(true)
    }
  }
}
