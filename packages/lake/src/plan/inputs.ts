/** The inputs of all queries that are planned together, each read by one set of rules. */
import { columnType } from '../clean/field-sql.ts'
import { BadQuery } from '../errors.ts'
import type { Binding, Column, InputRules, Plan, Query } from '../model.ts'

export class PlanInputs {
  readonly #bindings: Readonly<Record<string, Binding>>
  readonly #used: Plan['inputs'] = {}

  constructor(bindings: Readonly<Record<string, Binding>>) {
    this.#bindings = bindings
  }

  /** Queries whose rules for an input differ read it apart from each other, under names of their own. */
  use(query: Query, input: string): { name: string; columns: Column[] } {
    const binding = Object.hasOwn(this.#bindings, input) ? this.#bindings[input] : undefined
    const declared = query.inputs[input]
    if (binding === undefined || declared === undefined) {
      throw new BadQuery(`${query.name} needs the input "${input}", and nothing was given for it.`)
    }
    const rules = binding.kind === 'table' ? null : rulesOf(declared, query, input)
    const name = this.#nameFor(input, rules)
    this.#used[name] = { rules, binding }
    return { name, columns: columnsOf(binding, rules) }
  }

  bindingOf(name: string): Binding {
    const used = this.#used[name]
    if (used === undefined) throw new BadQuery(`The input "${name}" is not used.`)
    return used.binding
  }

  used(): Plan['inputs'] {
    return this.#used
  }

  #nameFor(input: string, rules: InputRules | null): string {
    const isFor = (name: string) => {
      const used = this.#used[name]
      return used === undefined || JSON.stringify(used.rules) === JSON.stringify(rules)
    }
    if (isFor(input)) return input
    let number = 2
    while (!isFor(`${input}~${number}`)) number += 1
    return `${input}~${number}`
  }
}

function rulesOf(declared: Query['inputs'][string], query: Query, input: string): InputRules {
  if ('columns' in declared) return declared
  throw new BadQuery(
    `${query.name}: "${input}" is the table "${declared.table}" and a file was given for it; import the file as a table.`,
  )
}

const columnsOf = (binding: Binding, rules: InputRules | null): Column[] =>
  binding.kind === 'table'
    ? binding.manifest.columns
    : Object.entries(rules?.columns ?? {}).map(([name, rule]) => ({ name, type: columnType(rule) }))
