/**
 * How a query is written: a sentence of small words that becomes the plain tree of steps.
 *   scan('books').filter('year >= 1990').group(['publisher'], { books: count() })
 * Nothing is checked here: the tree is JSON that anyone may have written, and `check-query.ts`
 * judges all alike.
 */
import type { Aggregate, Column, Expression, Order, Query, Step } from '../model.ts'

/** The rows that a chain of steps gives. */
class Rows {
  readonly step: Step

  constructor(step: Step) {
    this.step = step
  }

  filter(where: Expression): Rows {
    return new Rows({ step: 'filter', from: this.step, where })
  }

  project(columns: Record<string, Expression>): Rows {
    return new Rows({ step: 'project', from: this.step, columns })
  }

  first(by: string[]): Rows {
    return new Rows({ step: 'first', from: this.step, by })
  }

  join(right: Rows, on: JoinKeys, manner: JoinManner = {}): Rows {
    const { kind = 'inner', how = 'broadcast' } = manner
    return new Rows({ step: 'join', from: this.step, with: right.step, on, kind, how })
  }

  group(by: string[], aggregates: Record<string, Aggregate>): Rows {
    return new Rows({ step: 'group', from: this.step, by, aggregates })
  }

  /** Rows whose `of` is at or above the quantile: q is a number from 0 to 1, or a parameter. */
  atLeastQuantile(of: Expression, q: string): Rows {
    return new Rows({ step: 'quantile', from: this.step, of, q, keep: 'from' })
  }

  belowQuantile(of: Expression, q: string): Rows {
    return new Rows({ step: 'quantile', from: this.step, of, q, keep: 'below' })
  }

  top(rows: number | string, by: Order[]): Rows {
    return new Rows({ step: 'top', from: this.step, rows, by })
  }

  rowFunction(name: string, of: Expression[], as: Column): Rows {
    return new Rows({ step: 'rowFunction', from: this.step, function: name, of, as })
  }
}

type JoinKeys = (string | [left: string, right: string])[]

interface JoinManner {
  kind?: 'inner' | 'left' | 'semi' | 'anti'
  how?: 'broadcast' | 'shuffle'
}

export const scan = (input: string): Rows => new Rows({ step: 'scan', input })

export const count = (of?: Expression): Aggregate =>
  of === undefined ? { is: 'count' } : { is: 'count', of }
export const sum = (of: Expression): Aggregate => ({ is: 'sum', of })
export const avg = (of: Expression): Aggregate => ({ is: 'avg', of })
export const min = (of: Expression): Aggregate => ({ is: 'min', of })
export const max = (of: Expression): Aggregate => ({ is: 'max', of })
export const distinct = (of: Expression): Aggregate => ({ is: 'distinct', of })
export const list = (of: Expression): Aggregate => ({ is: 'list', of })
export const quantile = (of: Expression, q: string): Aggregate => ({ is: 'quantile', of, q })

export const defineQuery = (query: Omit<Query, 'from'> & { from: Rows }): Query => ({
  ...query,
  from: query.from.step,
})
