/** What can go wrong between the lake and those who ask it. */
import { MingaError, PermanentError } from '@minga/protocol'

export class NoSuchQuery extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_QUERY'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no query ${id}, or it has expired. Run it again.`)
  }
}

export class NoSuchWorker extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_WORKER'
  override readonly status = 404
  constructor(boot: string) {
    super(`There is no worker ${boot} at this station any more. Reload the list of workers.`)
  }
}

export class TooManySaved extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_SAVED_QUERIES'
  override readonly status = 409
  constructor(most: number) {
    super(`You have ${most} saved queries, which is the limit. Remove one first.`)
  }
}

/** Not everything that ran was a question of a user whose text was stored. */
export class NotRepeatable extends PermanentError {
  readonly code = 'MINGA_NOT_REPEATABLE'
  override readonly status = 409
  constructor(id: string) {
    super(`The text of ${id} was not stored, so it cannot be repeated. Write the query again.`)
  }
}

/** It has no such result, or not yet. */
export class NoSuchResult extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_RESULT'
  override readonly status = 404

  static named(name: string, names: readonly string[]): NoSuchResult {
    return new NoSuchResult(
      `The query has no result "${name}". Its results are: ${names.join(', ')}.`,
    )
  }

  static of(id: string, state: string): NoSuchResult {
    return new NoSuchResult(`Query ${id} is ${state} and has no results. Run it again.`)
  }

  static file(): NoSuchResult {
    return new NoSuchResult('The file does not exist any more.')
  }

  static gone(id: string): NoSuchResult {
    return new NoSuchResult(`The results of query ${id} have expired. Run it again.`)
  }
}

export class QueryOpen extends MingaError {
  readonly code = 'MINGA_QUERY_OPEN'
  override readonly status = 409
  readonly retry = 'later'
  constructor(id: string) {
    super(`Query ${id} is still running. Its results are complete when it is done.`)
  }
}

export class TooManyQueries extends MingaError {
  readonly code = 'MINGA_TOO_MANY_QUERIES'
  override readonly status = 429
  readonly retry = 'later'
  constructor(most: number) {
    super(`You have ${most} running queries, which is the limit. Wait for one or cancel it.`)
  }
}

/** A caller without the right to do so named a file of the station's machine. */
export class OutsideInput extends PermanentError {
  readonly code = 'MINGA_OUTSIDE_INPUT'
  override readonly status = 403

  static forbidden(): OutsideInput {
    return new OutsideInput(
      'Only the operator may name files of the station’s machine. Upload the file and name the upload.',
    )
  }

  static relative(path: string): OutsideInput {
    return new OutsideInput(
      `The path "${path}" is not absolute. Write it from the root, as in /data/books.csv.`,
    )
  }

  static missing(path: string, options?: ErrorOptions): OutsideInput {
    return new OutsideInput(`The file ${path} cannot be read on the station’s machine.`, options)
  }
}

export class NoSuchUpload extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_UPLOAD'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no upload ${id}, or it has expired. Upload the file again.`)
  }
}

/** A part does not begin where the last one ended. */
export class UploadOffset extends MingaError {
  readonly code = 'MINGA_UPLOAD_OFFSET'
  override readonly status = 409
  readonly retry = 'now'
  /** Where to go on. */
  readonly received: number
  constructor(received: number) {
    super(`The station has ${received} bytes of the upload. Send the part that begins there.`)
    this.received = received
  }
}

export class BadPart extends MingaError {
  readonly code = 'MINGA_BAD_PART'
  override readonly status = 400
  readonly retry = 'now'

  static withoutDigest(): BadPart {
    return new BadPart('The part has no digest. Send it in x-minga-digest, as in sha256:9f86….')
  }

  static ofType(type: string): BadPart {
    return new BadPart(`The content type of a part must be ${type}.`)
  }

  static broken(): BadPart {
    return new BadPart('The received bytes do not match the digest. Send the part again.')
  }

  static tooMany(most: number): BadPart {
    return new BadPart(`The part exceeds the announced size, or the limit of ${most} bytes.`)
  }

  static ofAnother(file: string): BadPart {
    return new BadPart(`The file ${file} does not belong to this task.`)
  }

  static wrongWhole(): BadPart {
    return new BadPart(
      'The received file does not match its digest. Delete the upload and send it again.',
    )
  }
}

export class UploadOpen extends MingaError {
  readonly code = 'MINGA_UPLOAD_OPEN'
  override readonly status = 409
  readonly retry = 'later'
  constructor(id: string, missing: number) {
    super(`Upload ${id} is incomplete: ${missing} bytes are missing.`)
  }
}

export class UploadQuota extends MingaError {
  readonly code = 'MINGA_UPLOAD_QUOTA'
  override readonly status = 429
  readonly retry = 'later'
  constructor(most: number) {
    super(`With this file your uploads would exceed ${most} bytes. Delete some first.`)
  }
}

export class BadSql extends PermanentError {
  readonly code = 'MINGA_BAD_SQL'
}

/** Too long, too large or too much memory. */
export class SqlLimit extends PermanentError {
  readonly code = 'MINGA_SQL_LIMIT'
  override readonly status = 422

  static time(seconds: number): SqlLimit {
    return new SqlLimit(
      `The query was not answered within ${seconds} s. Narrow it, or run it as a query in parts.`,
    )
  }

  static rows(most: number): SqlLimit {
    return new SqlLimit(`The answer has more than ${most} rows. Narrow the query or add a LIMIT.`)
  }

  static bytes(most: number): SqlLimit {
    return new SqlLimit(`The answer is larger than ${most} bytes. Narrow the query or add a LIMIT.`)
  }

  static memory(megabytes: number): SqlLimit {
    return new SqlLimit(
      `The query needs more than ${megabytes} MB of memory. Narrow it, or run it as a query in parts.`,
    )
  }
}

export class SqlBusy extends MingaError {
  readonly code = 'MINGA_SQL_BUSY'
  override readonly status = 429
  readonly retry = 'later'
  /** Sent as Retry-After. */
  readonly retryAfterS = 2
  constructor() {
    super('The maximum number of SQL queries is running. Try again soon.')
  }
}

/** Nothing reads files and answers questions until the service runs again. */
export class DuckDbUnavailable extends MingaError {
  readonly code = 'MINGA_DUCKDB_UNAVAILABLE'
  readonly retry = 'later'

  static at(socket: string, options: ErrorOptions): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `The DuckDB service cannot be reached at ${socket}. The operator has to start it (minga duckdb run).`,
      options,
    )
  }

  static refused(socket: string): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `The DuckDB service at ${socket} started no process, because it has reached its limit or cannot enter the data folder. Try again soon.`,
    )
  }

  static gone(socket: string): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `The DuckDB service at ${socket} ended during the query, or sent an invalid answer. Run the query again.`,
    )
  }

  static noSocket(socket: string, options: ErrorOptions): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `The socket ${socket} cannot be created. Its folder must exist and belong to this user.`,
      options,
    )
  }

  static taken(socket: string): DuckDbUnavailable {
    return new DuckDbUnavailable(`Another DuckDB service listens at ${socket}. Stop it first.`)
  }
}

/** Of the socket between the station and the DuckDB service. */
export class BadFrame extends PermanentError {
  readonly code = 'MINGA_BAD_FRAME'

  static tooLong(kind: string, bytes: number): BadFrame {
    return new BadFrame(`A ${kind} of ${bytes} bytes exceeds the limit of the DuckDB service.`)
  }

  static unknown(kind: number): BadFrame {
    return new BadFrame(`The frame has the unknown kind ${kind}. The connection is closed.`)
  }

  static noJson(kind: string, options?: ErrorOptions): BadFrame {
    return new BadFrame(`A ${kind} is not a JSON object. The connection is closed.`, options)
  }

  static noStart(): BadFrame {
    return new BadFrame('A frame arrived out of order. The connection is closed.')
  }
}

/** It took too long or too much memory to look into a file. */
export class PreviewLimit extends PermanentError {
  readonly code = 'MINGA_PREVIEW_LIMIT'
  override readonly status = 422

  static time(seconds: number): PreviewLimit {
    return new PreviewLimit(
      `The beginning of the file was not read within ${seconds} s. Request fewer rows, or import the file.`,
    )
  }

  static memory(megabytes: number): PreviewLimit {
    return new PreviewLimit(
      `The beginning of the file needs more than ${megabytes} MB of memory. Request fewer rows.`,
    )
  }
}

export class PreviewBusy extends MingaError {
  readonly code = 'MINGA_PREVIEW_BUSY'
  override readonly status = 429
  readonly retry = 'later'
  /** Sent as Retry-After. */
  readonly retryAfterS = 2
  constructor() {
    super('The maximum number of previews is running. Try again soon.')
  }
}

/** Another worker has the task by now. */
export class TaskTaken extends PermanentError {
  readonly code = 'MINGA_TASK_TAKEN'
  override readonly status = 410
  constructor() {
    super('This worker does not hold the task any more, so its output is not needed.')
  }
}

/** A table cannot be used for what it was named for. */
export class TableInput extends PermanentError {
  readonly code = 'MINGA_TABLE_NOT_FOR_THIS'
  override readonly status = 409

  static ofStation(name: string): TableInput {
    return new TableInput(`"${name}" is a table of the station: it can be read, but not changed.`)
  }

  static ofAnother(name: string): TableInput {
    return new TableInput(`"${name}" is a table of another user: it can be read, but not changed.`)
  }

  static partlyHidden(name: string): TableInput {
    return new TableInput(
      `"${name}" has rows of other users' private collections. Query it in SQL, which shows the other rows.`,
    )
  }

  static isTable(name: string): TableInput {
    return new TableInput(`"${name}" is already a table. Import a file, or query the table.`)
  }
}

export class SegmentFailed extends MingaError {
  readonly code = 'MINGA_SEGMENT_FAILED'
  readonly retry = 'later'
}
