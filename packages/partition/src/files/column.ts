/** A list of numbers that grows by doubling: a file's header is not trusted with memory. */
export class IntColumn {
  #values = new Int32Array(1_024)
  length = 0

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(2 * this.length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }

  done(): Int32Array {
    return this.#values.subarray(0, this.length)
  }
}

export class DoubleColumn {
  #values = new Float64Array(1_024)
  length = 0

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(2 * this.length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }

  done(): Float64Array {
    return this.#values.subarray(0, this.length)
  }
}
