/**
 * Decides whether this SQL may be run, by the tree that DuckDB's own parser makes of it, not by its
 * text. Files are out of reach by the settings of the instance, but some functions change those
 * settings whatever is locked (profiles and logs can be written to any path), and others run SQL
 * that hides in a string: hence a list of what may be called in FROM, and of the few plain
 * functions that reveal something about the machine.
 */

/** What `json_serialize_sql` answers. */
export interface SerializedSql {
  error: boolean
  error_message?: string
  statements?: unknown[]
}

const IN_FROM: ReadonlySet<string> = new Set([
  'generate_series',
  'histogram',
  'histogram_values',
  'json_each',
  'json_tree',
  'range',
  'repeat',
  'repeat_row',
  'unnest',
])

const TELLING: ReadonlySet<string> = new Set(['current_setting', 'getenv', 'write_log'])

/** What is wrong with it, as a sentence; null when it may be run. */
export function problemOfSql({
  error,
  error_message,
  statements = [],
}: SerializedSql): string | null {
  if (error) {
    return /^only select/i.test(error_message ?? '')
      ? 'Only SELECT may be asked here; tables are changed by imports.'
      : `It is no SQL that DuckDB understands: ${error_message ?? 'no reason given'}`
  }
  if (statements.length !== 1) return 'Ask one SELECT at a time.'
  const calls = callsIn(statements[0])
  const hidden = calls.find(({ name, isInFrom }) => isInFrom && !IN_FROM.has(name))
  if (hidden)
    return `${hidden.name}() may not be called in FROM here; ask the tables by their names.`
  const telling = calls.find(({ name, isInFrom }) => !isInFrom && TELLING.has(name))
  return telling ? `${telling.name}() may not be called here.` : null
}

/** Names of tables that it reads, in lower case; null when it asks which there are. */
export function tablesIn({ statements = [] }: SerializedSql): ReadonlySet<string> | null {
  const names = new Set<string>()
  for (const node of nodesIn(statements)) {
    if (node['type'] === 'SHOW_REF' || node['schema_name'] === 'information_schema') return null
    if (node['type'] === 'BASE_TABLE') names.add(String(node['table_name']).toLowerCase())
  }
  return names
}

interface Call {
  name: string
  isInFrom: boolean
}

type Node = Record<string, unknown>

function callsIn(root: unknown): Call[] {
  const calls: Call[] = []
  const inFrom = new Set<unknown>()
  for (const node of nodesIn(root)) {
    // A parent is always met before its children.
    if (node['type'] === 'TABLE_FUNCTION') inFrom.add(node['function'])
    const name = node['function_name']
    if (typeof name === 'string') {
      calls.push({ name: name.toLowerCase(), isInFrom: inFrom.has(node) })
    }
  }
  return calls
}

/** A walk without calls: trees may be deep, the stack is not. */
function* nodesIn(root: unknown): Generator<Node> {
  const rest = [root]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield value as Node
    for (const child of Object.values(value)) rest.push(child)
  }
}
