/** What can go wrong between the lake and those who ask it. */
import { MingaError } from '@minga/protocol'

export class NoSuchQuery extends MingaError {
  readonly code = 'MINGA_NO_SUCH_QUERY'
  readonly retry = 'never'
  constructor(id: string) {
    super(`There is no query ${id} of yours here, or it was forgotten; ask it again.`)
  }
}

export class NoSuchWorker extends MingaError {
  readonly code = 'MINGA_NO_SUCH_WORKER'
  readonly retry = 'never'
  constructor(boot: string) {
    super(`No worker ${boot} calls this station any more; look at the list again.`)
  }
}

export class TooManySaved extends MingaError {
  readonly code = 'MINGA_TOO_MANY_SAVED_QUERIES'
  readonly retry = 'never'
  constructor(most: number) {
    super(`You keep ${most} saved queries, which is the most; remove one first.`)
  }
}

/** Not everything that ran was a question of a user whose text was stored. */
export class NotRepeatable extends MingaError {
  readonly code = 'MINGA_NOT_REPEATABLE'
  readonly retry = 'never'
  constructor(id: string) {
    super(`The text of ${id} was not stored, so it cannot be repeated. Write the query again.`)
  }
}

/** It has no such result, or not yet. */
export class NoSuchResult extends MingaError {
  readonly code = 'MINGA_NO_SUCH_RESULT'
  readonly retry = 'never'

  static named(name: string, names: readonly string[]): NoSuchResult {
    return new NoSuchResult(`The query has no result "${name}"; it has ${names.join(', ')}.`)
  }

  static of(id: string, state: string): NoSuchResult {
    return new NoSuchResult(`Query ${id} is ${state} and has no results; ask it again.`)
  }

  static file(): NoSuchResult {
    return new NoSuchResult('The file is not there any more.')
  }

  static gone(id: string): NoSuchResult {
    return new NoSuchResult(`The results of query ${id} are no longer kept; ask it again.`)
  }
}

export class QueryOpen extends MingaError {
  readonly code = 'MINGA_QUERY_OPEN'
  readonly retry = 'later'
  constructor(id: string) {
    super(`Query ${id} is still running; its results are whole when it is done.`)
  }
}

export class TooManyQueries extends MingaError {
  readonly code = 'MINGA_TOO_MANY_QUERIES'
  readonly retry = 'later'
  constructor(most: number) {
    super(`You have ${most} queries running, which is the most; wait for one or cancel it.`)
  }
}

/** A caller without the right to do so named a file of the station's machine. */
export class OutsideInput extends MingaError {
  readonly code = 'MINGA_OUTSIDE_INPUT'
  readonly retry = 'never'

  static forbidden(): OutsideInput {
    return new OutsideInput(
      'Only the operator may name files of the station’s machine; send the file up and name the upload.',
    )
  }

  static relative(path: string): OutsideInput {
    return new OutsideInput(
      `"${path}" is no whole path; write it from the root, as in /data/books.csv.`,
    )
  }

  static missing(path: string, options?: ErrorOptions): OutsideInput {
    return new OutsideInput(`${path} cannot be read on the station’s machine.`, options)
  }
}

export class NoSuchUpload extends MingaError {
  readonly code = 'MINGA_NO_SUCH_UPLOAD'
  readonly retry = 'never'
  constructor(id: string) {
    super(`There is no upload ${id} of yours here, or its time is over; send the file again.`)
  }
}

/** A part does not begin where the last one ended. */
export class UploadOffset extends MingaError {
  readonly code = 'MINGA_UPLOAD_OFFSET'
  readonly retry = 'now'
  /** Where to go on. */
  readonly received: number
  constructor(received: number) {
    super(`The station has ${received} bytes of it; send the part that begins there.`)
    this.received = received
  }
}

export class BadPart extends MingaError {
  readonly code = 'MINGA_BAD_PART'
  readonly retry = 'now'

  static withoutDigest(): BadPart {
    return new BadPart('A part needs its digest in x-minga-digest, as in sha256:9f86….')
  }

  static ofType(type: string): BadPart {
    return new BadPart(`A part is sent as ${type}.`)
  }

  static broken(): BadPart {
    return new BadPart('The bytes that arrived are not those of the digest; send the part again.')
  }

  static tooMany(most: number): BadPart {
    return new BadPart(`This is more than was announced, or than ${most} bytes in one part.`)
  }

  static ofAnother(file: string): BadPart {
    return new BadPart(`${file} is no file of this task.`)
  }

  static wrongWhole(): BadPart {
    return new BadPart(
      'The file as it arrived has another digest; delete the upload and send it again.',
    )
  }
}

export class UploadOpen extends MingaError {
  readonly code = 'MINGA_UPLOAD_OPEN'
  readonly retry = 'later'
  constructor(id: string, missing: number) {
    super(`Upload ${id} is not finished; ${missing} bytes are missing.`)
  }
}

export class UploadQuota extends MingaError {
  readonly code = 'MINGA_UPLOAD_QUOTA'
  readonly retry = 'later'
  constructor(most: number) {
    super(`With this file your uploads would be larger than ${most} bytes; delete some first.`)
  }
}

export class BadSql extends MingaError {
  readonly code = 'MINGA_BAD_SQL'
  readonly retry = 'never'
}

/** Too long, too large or too much memory. */
export class SqlLimit extends MingaError {
  readonly code = 'MINGA_SQL_LIMIT'
  readonly retry = 'never'

  static time(seconds: number): SqlLimit {
    return new SqlLimit(
      `It was not answered within ${seconds} s; narrow it, or run it as a query in parts.`,
    )
  }

  static rows(most: number): SqlLimit {
    return new SqlLimit(`The answer has more than ${most} rows; narrow it or add a LIMIT.`)
  }

  static bytes(most: number): SqlLimit {
    return new SqlLimit(`The answer is larger than ${most} bytes; narrow it or add a LIMIT.`)
  }

  static memory(megabytes: number): SqlLimit {
    return new SqlLimit(
      `It needs more than ${megabytes} MB of memory; narrow it, or run it as a query in parts.`,
    )
  }
}

export class SqlBusy extends MingaError {
  readonly code = 'MINGA_SQL_BUSY'
  readonly retry = 'later'
  /** Sent as Retry-After. */
  readonly retryAfterS = 2
  constructor() {
    super('As many questions in SQL are being answered as may be at a time; try again soon.')
  }
}

/** Nothing reads files and answers questions until the service runs again. */
export class DuckDbUnavailable extends MingaError {
  readonly code = 'MINGA_DUCKDB_UNAVAILABLE'
  readonly retry = 'later'

  static at(socket: string, options: ErrorOptions): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `The DuckDB service cannot be reached at ${socket}; the operator has to start it (minga duckdb run).`,
      options,
    )
  }

  static refused(socket: string): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `The DuckDB service at ${socket} started no process: it has as many as it may, or cannot enter the data folder. Try again soon.`,
    )
  }

  static gone(socket: string): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `The DuckDB service at ${socket} ended during the question, or sent an invalid answer. Ask again.`,
    )
  }

  static noSocket(socket: string, options: ErrorOptions): DuckDbUnavailable {
    return new DuckDbUnavailable(
      `No socket can be made at ${socket}; its folder must exist and belong to this user.`,
      options,
    )
  }

  static taken(socket: string): DuckDbUnavailable {
    return new DuckDbUnavailable(`Another DuckDB service listens at ${socket}; stop it first.`)
  }
}

/** Of the socket between the station and the DuckDB service. */
export class BadFrame extends MingaError {
  readonly code = 'MINGA_BAD_FRAME'
  readonly retry = 'never'

  static tooLong(kind: string, bytes: number): BadFrame {
    return new BadFrame(`A ${kind} of ${bytes} bytes is longer than the DuckDB service passes on.`)
  }

  static unknown(kind: number): BadFrame {
    return new BadFrame(`There is no kind ${kind} of frames; the connection ends.`)
  }

  static noJson(kind: string, options?: ErrorOptions): BadFrame {
    return new BadFrame(`A ${kind} is no JSON object; the connection ends.`, options)
  }

  static noStart(): BadFrame {
    return new BadFrame('A frame came that does not belong there; the connection ends.')
  }
}

/** It took too long or too much memory to look into a file. */
export class PreviewLimit extends MingaError {
  readonly code = 'MINGA_PREVIEW_LIMIT'
  readonly retry = 'never'

  static time(seconds: number): PreviewLimit {
    return new PreviewLimit(
      `The beginning of the file was not read within ${seconds} s; ask for fewer rows, or import it.`,
    )
  }

  static memory(megabytes: number): PreviewLimit {
    return new PreviewLimit(
      `The beginning of the file needs more than ${megabytes} MB of memory; ask for fewer rows.`,
    )
  }
}

export class PreviewBusy extends MingaError {
  readonly code = 'MINGA_PREVIEW_BUSY'
  readonly retry = 'later'
  /** Sent as Retry-After. */
  readonly retryAfterS = 2
  constructor() {
    super('As many files are being looked into as may be at a time; try again soon.')
  }
}

/** Another worker has the task by now. */
export class TaskTaken extends MingaError {
  readonly code = 'MINGA_TASK_TAKEN'
  readonly retry = 'never'
  constructor() {
    super('The task is no longer this worker’s; what it made is not needed.')
  }
}

/** A table cannot be used for what it was named for. */
export class TableInput extends MingaError {
  readonly code = 'MINGA_TABLE_NOT_FOR_THIS'
  readonly retry = 'never'

  static ofStation(name: string): TableInput {
    return new TableInput(`"${name}" is the station’s own table; you can read it, not change it.`)
  }

  static ofAnother(name: string): TableInput {
    return new TableInput(`"${name}" is another’s table; you can read it, not change it.`)
  }

  static partlyHidden(name: string): TableInput {
    return new TableInput(
      `"${name}" has rows of private collections that are not yours; ask it in SQL, which shows you the others.`,
    )
  }

  static isTable(name: string): TableInput {
    return new TableInput(`"${name}" is a table already; import a file, or ask a query of it.`)
  }
}

export class SegmentFailed extends MingaError {
  readonly code = 'MINGA_SEGMENT_FAILED'
  readonly retry = 'later'
}
