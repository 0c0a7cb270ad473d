/** The operations of tables, by the names under which the store knows them. */
import type { OperationTable } from '@minga/store'
import {
  changeSegments,
  createTable,
  dropTable,
  listTables,
  listVersions,
  readManifest,
} from './change-operations.ts'
import {
  beginWriter,
  endWriter,
  holdTables,
  livingWriters,
  releaseReader,
  renewReaders,
  renewWriter,
} from './lease-operations.ts'
import {
  forgetSegments,
  forgetVersions,
  strayFiles,
  sweepableTables,
  sweepTable,
} from './sweep-operations.ts'

export const tableOperations = {
  lakeCreateTable: createTable,
  lakeChangeSegments: changeSegments,
  lakeDropTable: dropTable,
  lakeTables: listTables,
  lakeVersions: listVersions,
  lakeManifest: readManifest,
  lakeHold: holdTables,
  lakeRenewReaders: renewReaders,
  lakeReleaseReader: releaseReader,
  lakeBeginWriter: beginWriter,
  lakeRenewWriter: renewWriter,
  lakeEndWriter: endWriter,
  lakeWriters: livingWriters,
  lakeSweepableTables: sweepableTables,
  lakeSweepTable: sweepTable,
  lakeForgetVersions: forgetVersions,
  lakeForgetSegments: forgetSegments,
  lakeStrayFiles: strayFiles,
} satisfies OperationTable

export type TableOperations = typeof tableOperations
