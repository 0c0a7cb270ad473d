/** Routes and their types as one OpenAPI document. */
import type { Checker, Symbol, Type } from 'typescript/unstable/sync'
import type { Answer, OpenApiDocument, Operation, Schema } from './document.ts'
import type { FoundRoute } from './read-routes.ts'
import type { TypeSchemas } from './type-schemas.ts'

interface Writing {
  checker: Checker
  schemas: TypeSchemas
  wordsOf: (action: string) => string
}

const JSON_TYPE = 'application/json'
const ANY_TYPE = '*/*'

export function writeDocument(routes: readonly FoundRoute[], writing: Writing): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  const inOrder = routes.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  for (const route of inOrder) {
    const path = `/api${withBraces(route.path)}`
    paths[path] = { ...paths[path], [route.method]: operationOf(route, writing) }
  }
  const { components } = writing.schemas
  const names = Object.keys(components).toSorted()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Minga: a station',
      version: '1',
      description:
        'Times are milliseconds since 1970 in UTC, unless a name says otherwise. Histories of wikis for other programs have a document of their own: /api/v1/openapi.json.',
    },
    components: {
      schemas: {
        Failure: failureSchema,
        ...Object.fromEntries(names.map((name) => [name, components[name]!])),
      },
      responses: { Refused: refused },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ key: [] }, {}],
    paths,
  }
}

const failureSchema: Schema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
}

const refused = {
  description: 'Refused, with a code that stays and a sentence that says what to do.',
  content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Failure' } } },
}

const withBraces = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

function operationOf(route: FoundRoute, writing: Writing): Operation {
  const { method, path, action, status } = route
  const body = route.body && (partOf(route.body, 'input', writing.checker) ?? route.body)
  return {
    operationId: operationName(method, path),
    summary: writing.wordsOf(action),
    tags: [path.split('/')[1]!],
    'x-action': action,
    parameters: [...pathParameters(route), ...queryParameters(route, writing)],
    ...(body
      ? { requestBody: { content: { [JSON_TYPE]: { schema: writing.schemas.schemaOf(body) } } } }
      : {}),
    responses: {
      [status]: answerOf(route, writing),
      default: { $ref: '#/components/responses/Refused' },
    },
  }
}

/** `GET /watches/:id/urls` → getWatchesIdUrls. */
function operationName(method: string, path: string): string {
  const words = path.split(/[^a-z0-9]+/i).filter((word) => word !== '')
  return method + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

function pathParameters({ path }: FoundRoute): Operation['parameters'] {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

/** A default makes one optional for the caller, and always present for the reader. */
function queryParameters({ query }: FoundRoute, writing: Writing): Operation['parameters'] {
  if (query === null) return []
  const { checker, schemas } = writing
  const [input, output] = [partOf(query, 'input', checker), partOf(query, 'output', checker)]
  if (input === null || output === null) return []
  const asked = schemas.fieldsOf(input)
  return Object.entries(schemas.fieldsOf(output).properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: asked.required?.includes(name) ?? false,
    schema: withoutNull(schema),
  }))
}

/** An address cannot say null; it says nothing. */
function withoutNull(schema: Schema): Schema {
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null')
  if (choices === undefined) return schema
  return choices.length === 1 ? choices[0]! : { anyOf: choices }
}

/** What a schema of zod takes, or gives. */
function partOf(schema: Type, part: 'input' | 'output', checker: Checker): Type | null {
  let type: Type | undefined = schema
  for (const name of ['_zod', part]) {
    const symbol: Symbol | undefined = type && checker.getPropertyOfType(type, name)
    type = symbol && checker.getTypeOfSymbol(symbol)
  }
  return type ?? null
}

function answerOf(route: FoundRoute, { schemas }: Writing): Answer {
  if (route.answers.length === 0) {
    return { description: 'A file or a stream.', content: { [ANY_TYPE]: { schema: {} } } }
  }
  const all = route.answers.map((type) => JSON.stringify(schemas.schemaOf(type)))
  const forms = [...new Set(all)].map((text) => JSON.parse(text) as Schema)
  const schema = forms.length === 1 ? forms[0]! : { anyOf: forms }
  // An unknown shape may also be no JSON.
  const type = Object.keys(schema).length === 0 ? ANY_TYPE : JSON_TYPE
  return { description: 'Done.', content: { [type]: { schema } } }
}
