/** Questions in SQL over HTTP; the answer begins when it is whole, so that what goes wrong is said as an error. */
import { finished } from 'node:stream'
import { sqlQuestion } from '@minga/protocol'
import type { FastifyInstance } from 'fastify'
import { may } from '../../accounts/access.ts'
import type { LakeContext } from '../create-lake.ts'
import { lakeCaller } from '../workers/lake-caller.ts'
import { NoSuchResult } from '../lake-errors.ts'
import { FILE_TYPES } from '../queries/query-routes.ts'
import { sendFile } from '../uploads/send-file.ts'

const SECOND_MS = 1_000
const TYPES = { ...FILE_TYPES, json: 'application/json; charset=utf-8' }

export function sqlRoutes(app: FastifyInstance, { access, lake }: LakeContext): void {
  app.get('/sql/limits', may('tables:read'), async () => lake.sql.limits())
  app.post('/sql', may('tables:read'), async (request, reply) => {
    const { sql, format, rowsMax, timeoutS } = sqlQuestion.parse(request.body)
    const caller = lakeCaller(access, request, 'tables:read')
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const { file, remove } = await lake.sql.ask({
      owner: caller.accountId,
      sql,
      format,
      rowsMax,
      timeoutMs: timeoutS === undefined ? undefined : timeoutS * SECOND_MS,
      hold: () => lake.tableService.holdSeen(caller, 'sql', sql),
      signal: gone.signal,
    })
    finished(reply.raw, () => void remove())
    const path = lake.files.at(file)
    const sent = await sendFile(request, reply, { path, type: TYPES[format] })
    // Another process removed the result because it took it for left behind.
    if (sent === null) throw NoSuchResult.file()
    return sent
  })
}
