/**
 * What the process that looks into files and plans queries may say about files: nothing. A file may have taken it over,
 * and workers read whatever a plan names; so each answer is bound to what the coordinator itself named.
 */
import {
  BadInput,
  BadQuery,
  type Binding,
  type FileBinding,
  type InspectedFile,
  type Plan,
} from '@minga/lake'

/** The file is the one that was to be inspected, and its parts are parts of it. */
export function boundTo({ path, lakeName }: InspectedFile, said: FileBinding): FileBinding {
  if (said.units.some(({ kind }) => kind !== 'range')) {
    throw new BadInput(
      'The parts of the file are not ranges of it. Check that the file is complete.',
    )
  }
  const at = lakeName === undefined ? ('outside' as const) : ('lake' as const)
  return { ...said, kind: 'file', file: { ...said.file, at, name: lakeName ?? path } }
}

/** Its inputs are those that were given, and it changes no table. */
export function boundPlan(
  { stages, inputs, results }: Plan,
  bindings: Readonly<Record<string, Binding>>,
): Plan {
  const bound = Object.entries(inputs).map(([name, { rules }]) => {
    const binding = givenAs(name, bindings)
    if (binding === undefined) throw new BadQuery(`No input "${name}" was given to the query.`)
    return [name, { rules, binding }]
  })
  return { stages, inputs: Object.fromEntries(bound) as Plan['inputs'], results }
}

/** Queries whose rules for an input differ read it under names of their own: `books`, `books~2`. */
function givenAs(name: string, bindings: Readonly<Record<string, Binding>>): Binding | undefined {
  const given = Object.hasOwn(bindings, name) ? name : name.replace(/~\d{1,9}$/, '')
  return Object.hasOwn(bindings, given) ? bindings[given] : undefined
}
