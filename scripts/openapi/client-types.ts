/** The document as types of TypeScript: what the page may ask, with what, and what it gets. */
import type { OpenApiDocument, Operation, Schema } from './document.ts'

const HEAD = `/**
 * What the station can be asked, from its OpenAPI document (\`npm run build:api\` writes this file).
 * Types only: nothing of it is in the page that browsers load.
 */

/** What stands behind the question mark is text, whatever it means. */
type Text = string | number | boolean | null | undefined

/** Whatever is sent may be kept from changes, and leave out what it has no value for. */
type Sent<T> = T extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : T extends object
    ? { [Field in keyof T]: Sent<T[Field]> | (undefined extends T[Field] ? undefined : never) }
    : T
`

export function clientTypes({ components, paths }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationType(`${method.toUpperCase()} ${path.slice('/api'.length)}`, operation),
    ),
  )
  const text = operations.join('')
  return `${HEAD}\nexport interface Operations {\n${text}}\n\n${shapesOf(text, components.schemas)}`
}

/** Those that operations speak of, and those that these speak of. */
function shapesOf(operations: string, schemas: Record<string, Schema>): string {
  const texts = new Map(Object.entries(schemas).map(([name, schema]) => [name, typeText(schema)]))
  const used = new Set<string>()
  const open = [operations]
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const [name] of text.matchAll(/\b[A-Z]\w*\b/g)) {
      if (!texts.has(name) || used.has(name)) continue
      used.add(name)
      open.push(texts.get(name)!)
    }
  }
  const inOrder = [...texts].filter(([name]) => used.has(name))
  return inOrder.map(([name, text]) => `export type ${name} = ${text}\n`).join('\n')
}

function operationType(name: string, operation: Operation): string {
  const { parameters, requestBody, responses } = operation
  const [answer] = Object.values(responses).filter((one) => 'content' in one)
  const json = answer?.content['application/json']?.schema
  const fields = [
    parametersType('params', parameters, 'path'),
    parametersType('query', parameters, 'query'),
    bodyType(name, requestBody),
    `answer: ${json === undefined ? 'Response' : typeText(json)}`,
  ].filter((field) => field !== '')
  return `  '${name}': { ${fields.join('; ')} }\n`
}

/** A call without a documented body may carry an empty one. */
function bodyType(name: string, requestBody: Operation['requestBody']): string {
  if (requestBody === undefined) return name.startsWith('GET') ? '' : 'body?: object'
  return `body: Sent<${typeText(requestBody.content['application/json']!.schema)}>`
}

function parametersType(
  field: string,
  parameters: Operation['parameters'],
  place: 'path' | 'query',
): string {
  const own = parameters.filter((parameter) => parameter.in === place)
  if (own.length === 0) return ''
  const value = place === 'path' ? 'string | number' : 'Text'
  const parts = own.map(({ name, required }) => `${quoted(name)}${required ? '' : '?'}: ${value}`)
  const isNeeded = own.some(({ required }) => required)
  return `${field}${isNeeded ? '' : '?'}: { ${parts.join('; ')} }`
}

const quoted = (name: string): string =>
  /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice('#/components/schemas/'.length)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' | ') || 'never'
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeText).join(', ')}]`
  if (schema.items) return `(${typeText(schema.items)})[]`
  if (schema.type === 'object') return objectText(schema)
  return schema.type ?? 'unknown'
}

function objectText({ properties, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(([name, schema]) =>
    required.includes(name)
      ? `${quoted(name)}: ${typeText(schema)}`
      : `${quoted(name)}?: ${typeText(schema)}`,
  )
  const object = fields.length === 0 ? '' : `{ ${fields.join('; ')} }`
  const others = additionalProperties ? `Record<string, ${typeText(additionalProperties)}>` : ''
  if (object !== '' && others !== '') return `(${object} & ${others})`
  return object || others || 'object'
}
