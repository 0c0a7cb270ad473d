/** The API as an OpenAPI 3.1 document, made from the same schemas that read its parameters. */
import { z } from 'zod'
import type { V1Route } from './v1-route.ts'

type Json = Record<string, unknown>

const failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

const FAILURES: Record<number, string> = {
  400: 'Something is invalid; the message says what.',
  401: 'Who calls is not known.',
  403: 'Who calls may not do this.',
  404: 'There is no such thing here.',
}

export function openApiOf(routes: readonly V1Route[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = `/api/v1${route.path.replaceAll(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Minga: histories of wikis',
      version,
      description: 'Times are UTC. Parameters that are not listed change nothing.',
    },
    components: {
      schemas: { Failure: schemaOf(failure, 'output') },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ key: [] }],
    paths,
  }
}

function operationOf(route: V1Route): Json {
  const { method, path, summary, query, params, body } = route
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^a-z]+/gi, '_')}`,
    summary,
    parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query')],
    ...(body === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: responsesOf(route),
  }
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }))
}

function responsesOf({ status, answer, isTable, canWait, params }: V1Route): Json {
  const schema = schemaOf(answer, 'output')
  const content = {
    'application/json': { schema },
    ...(isTable
      ? { 'application/x-ndjson': { schema: LINES }, 'text/csv': { schema: LINES } }
      : {}),
  }
  const failures = [400, 401, 403, ...(params === undefined ? [] : [404])]
  return {
    [status]: { description: status === 202 ? 'It was begun.' : 'The answer.', content },
    ...(canWait ? { 202: { description: 'It is worked out in the background.' } } : {}),
    ...Object.fromEntries(failures.map((code) => [code, failureOf(code)])),
  }
}

const LINES = { type: 'string' }

function failureOf(code: number): Json {
  const schema = { $ref: '#/components/schemas/Failure' }
  return { description: FAILURES[code], content: { 'application/json': { schema } } }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
