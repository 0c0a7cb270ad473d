/** What can go wrong in the lake, each with a code and a sentence that says what to do. */
import { MingaError, PermanentError } from '@minga/protocol/errors'

/** An invalid query file, plan or parameter. */
export class BadQuery extends PermanentError {
  readonly code = 'MINGA_BAD_QUERY'
}

/** A table, column or segment that cannot be as asked. */
export class BadTable extends PermanentError {
  readonly code = 'MINGA_BAD_TABLE'
}

export class UnknownTable extends PermanentError {
  readonly code = 'MINGA_UNKNOWN_TABLE'
  override readonly status = 404

  static named(name: string): UnknownTable {
    return new UnknownTable(
      `There is no table "${name}". \`minga table list\` shows the existing ones.`,
    )
  }
}

export class TableTaken extends PermanentError {
  readonly code = 'MINGA_TABLE_TAKEN'
  override readonly status = 409

  static named(name: string): TableTaken {
    return new TableTaken(`The name "${name}" belongs to another table. Choose another name.`)
  }
}

/** A table's columns may become more, but each keeps its type: old segments are never rewritten. */
export class ColumnChanged extends PermanentError {
  readonly code = 'MINGA_COLUMN_CHANGED'

  static of(table: string, column: string, types: { is: string; given: string }): ColumnChanged {
    return new ColumnChanged(
      `Column "${column}" of table "${table}" is ${types.is} and cannot become ${types.given}. Give it another name, or fill a new table.`,
    )
  }
}

/** The segment to replace has already been replaced by another writer. */
export class SegmentGone extends PermanentError {
  readonly code = 'MINGA_SEGMENT_GONE'
  override readonly status = 409

  static from(table: string, file: string): SegmentGone {
    return new SegmentGone(
      `${file} is not a part of table "${table}" any more, so nothing was changed. Read the table again.`,
    )
  }
}

export class VersionGone extends PermanentError {
  readonly code = 'MINGA_VERSION_GONE'
  override readonly status = 404

  static of(table: string, what: string): VersionGone {
    return new VersionGone(
      `Table "${table}" cannot be read as of ${what}: it did not exist yet, or that version is no longer stored.`,
    )
  }
}

/** It took longer than its lease; its files may be gone already. */
export class WriterGone extends MingaError {
  readonly code = 'MINGA_WRITER_GONE'
  readonly retry = 'now'

  static named(writer: string): WriterGone {
    return new WriterGone(
      `The lease of writer ${writer} has expired, so nothing was changed. Start again.`,
    )
  }
}

/** A name that does not stay inside the lake's folder, or that some system would not take. */
export class BadLakeName extends PermanentError {
  readonly code = 'MINGA_BAD_LAKE_NAME'

  static of(name: string): BadLakeName {
    return new BadLakeName(`"${name}" is not a valid name of a file in the lake.`)
  }
}

/** A file that a query reads is not what it was when the query began. */
export class InputChanged extends PermanentError {
  readonly code = 'MINGA_INPUT_CHANGED'
  override readonly status = 409

  static at(path: string): InputChanged {
    return new InputChanged(
      `${path} has changed since the query began. Run the query again when the file is complete.`,
    )
  }
}

/** Gone with an ended query, or not there yet on a disk that lags behind. */
export class TaskFileMissing extends MingaError {
  readonly code = 'MINGA_TASK_FILE_MISSING'
  override readonly status = 404
  readonly retry = 'later'

  static named(name: string): TaskFileMissing {
    return new TaskFileMissing(`The file ${name} of a task is missing or incomplete.`)
  }
}

/** DuckDB refused a statement of a task: so will every other worker. */
export class TaskRefused extends PermanentError {
  readonly code = 'MINGA_TASK_REFUSED'
  /** The statement, for the user who has to correct it. */
  readonly sql: string

  constructor(message: string, sql: string, options?: ErrorOptions) {
    super(message, options)
    this.sql = sql
  }
}

export class TaskOutOfMemory extends MingaError {
  readonly code = 'MINGA_TASK_OUT_OF_MEMORY'
  readonly retry = 'later'
  readonly sql: string

  constructor(memoryMb: number, sql: string, options?: ErrorOptions) {
    super(
      `The task needs more than ${memoryMb} MB of memory. Give the query more, or request less at once.`,
      options,
    )
    this.sql = sql
  }
}

/** Reading or writing failed for a reason that may pass. */
export class TaskDiskTrouble extends MingaError {
  readonly code = 'MINGA_TASK_DISK_TROUBLE'
  readonly retry = 'later'

  static because(reason: string, cause: unknown): TaskDiskTrouble {
    return new TaskDiskTrouble(`A file of a task could not be read or written: ${reason}`, {
      cause,
    })
  }
}

export class UnknownRowFunction extends PermanentError {
  readonly code = 'MINGA_UNKNOWN_ROW_FUNCTION'

  static named(name: string): UnknownRowFunction {
    return new UnknownRowFunction(
      `This station has no row function "${name}". Row functions are modules in DATA/lake/functions.`,
    )
  }
}

/** It threw, gave what it may not give, or took too long: it would do so again. */
export class RowFunctionFailed extends PermanentError {
  readonly code = 'MINGA_ROW_FUNCTION_FAILED'
}

export class UnknownQuery extends PermanentError {
  readonly code = 'MINGA_UNKNOWN_QUERY'

  static named(id: string): UnknownQuery {
    return new UnknownQuery(
      `There is no query ${id}. \`minga query list\` shows the existing ones.`,
    )
  }
}

export class QueryIdReused extends PermanentError {
  readonly code = 'MINGA_QUERY_ID_REUSED'
  override readonly status = 409

  static named(id: string): QueryIdReused {
    return new QueryIdReused(`The id ${id} belongs to another query. Choose a new one.`)
  }
}

/** What a worker says it wrote is not what the task was to write. */
export class BadCommit extends PermanentError {
  readonly code = 'MINGA_BAD_COMMIT'
}

/** Workers that had it fell silent, again and again. */
export class TaskPoison extends PermanentError {
  readonly code = 'MINGA_TASK_POISON'

  static after(deaths: number): TaskPoison {
    return new TaskPoison(
      `${deaths} workers died or fell silent during this task, one after another. It may need more memory than they have.`,
    )
  }
}

export class QueryOverdue extends PermanentError {
  readonly code = 'MINGA_QUERY_OVERDUE'

  static since(deadlineAt: number): QueryOverdue {
    return new QueryOverdue(
      `The query was not done by its deadline ${new Date(deadlineAt).toISOString()}. Give it more time, or request less.`,
    )
  }
}

/** The worker keeps trying: a station that is restarted is back soon. */
export class StationAway extends MingaError {
  readonly code = 'MINGA_STATION_UNREACHABLE'
  readonly retry = 'later'

  static at(url: string, cause: unknown): StationAway {
    return new StationAway(
      `The station at ${url} does not answer. The worker retries automatically.`,
      {
        cause,
      },
    )
  }

  static redirecting(url: string, to: string): StationAway {
    const said = `The station at ${url} answers with a redirect to ${to}, which is not followed`
    return new StationAway(`${said}. The worker retries automatically.`)
  }
}

export class StationRefusedWorker extends PermanentError {
  readonly code = 'MINGA_STATION_REFUSED'

  /** `reason`: what the station said, with a code of its own. */
  static because(url: string, reason: string): StationRefusedWorker {
    return new StationRefusedWorker(`The station at ${url} refused this worker: ${reason}`)
  }
}

/** Another worker has the task now, or its result is not needed any more. */
export class LeaseLost extends PermanentError {
  readonly code = 'MINGA_TASK_LEASE_LOST'

  static of(lease: { query: string; stage: string; index: number; fence: number }): LeaseLost {
    const { query, stage, index, fence } = lease
    return new LeaseLost(
      `Another worker holds task ${index} of ${query}/${stage} now (our fence was ${fence}).`,
    )
  }
}

/** A file that is to be read is not there, or not what it should be. */
export class BadInput extends PermanentError {
  readonly code = 'MINGA_BAD_INPUT'

  static unreadable(path: string, cause: unknown): BadInput {
    return new BadInput(`${path} cannot be read. Check that it exists and is complete.`, { cause })
  }

  static noFile(path: string): BadInput {
    return new BadInput(`${path} is not a file.`)
  }

  static noHeader(name: string): BadInput {
    return new BadInput(`The first line of ${name} does not name its columns.`)
  }

  static namelessField(name: string, place: number): BadInput {
    return new BadInput(`Column ${place} of ${name} has no name in its first line.`)
  }

  static sameField(name: string, field: string): BadInput {
    return new BadInput(
      `${name} has two columns "${field}". Upper and lower case do not distinguish names.`,
    )
  }

  static zeroByte(name: string, place: number): BadInput {
    return new BadInput(
      `The name of column ${place} of ${name} contains a zero byte. If the file is UTF-16, save it as UTF-8.`,
    )
  }

  static missingFields(name: string, missing: readonly string[]): BadInput {
    return new BadInput(`These columns are not in ${name}: ${missing.join('. ')}.`)
  }

  static cutInside(name: string, at: number): BadInput {
    return new BadInput(
      `${name} seems to have a record at ${at}, but that is inside another one. Unpack it with gunzip and read the result.`,
    )
  }

  static packedParquet(name: string): BadInput {
    return new BadInput(`${name} is a compressed Parquet file. Unpack it first.`)
  }
}

/** Another coordinator acts for all, or none does yet. */
export class NotLeader extends MingaError {
  readonly code = 'MINGA_NOT_LEADER'
  readonly retry = 'later'

  static since(fence: number): NotLeader {
    return new NotLeader(
      `Another coordinator is the leader now (our fence was ${fence}), so nothing was done.`,
    )
  }

  static yet(): NotLeader {
    return new NotLeader('This coordinator is not the leader, so nothing was done.')
  }
}
