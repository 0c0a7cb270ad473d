/** The shapes of an OpenAPI 3.1 document, as far as ours goes. */

export interface Schema {
  $ref?: string
  type?: string
  const?: string | number | boolean
  enum?: (string | number | boolean)[]
  anyOf?: Schema[]
  items?: Schema | false
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | false
  description?: string
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Schema
  description?: string
}

export interface Operation {
  operationId: string
  summary: string
  tags: string[]
  'x-action': string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Answer | { $ref: string }>
}

export interface Answer {
  description: string
  content: Record<string, { schema: Schema }>
}

export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string }
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Answer>
    securitySchemes: Record<string, { type: string; scheme: string }>
  }
  security: Record<string, string[]>[]
  paths: Record<string, Record<string, Operation>>
}
