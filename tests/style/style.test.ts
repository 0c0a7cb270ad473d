// Goal: style is a failing test, not a wiki. Method: every file of the repository is read, its TypeScript
// parsed, and each rule must find nothing; what is exempt is named here with its reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ambientFindings, type Adapters } from './ambient.ts'
import {
  barrelFindings,
  cycleFindings,
  folderFindings,
  layeringFindings,
  type FolderOrder,
} from './imports.ts'
import { fileSizeFindings, functionFindings, nameFindings, syntaxFindings } from './shape.ts'
import { testFindings } from './test-form.ts'
import {
  errorCodesInSource,
  errorFindings,
  errorRows,
  lockfileFindings,
  textFindings,
} from './text.ts'
import { workspaceCode, workspaceFiles, type Finding, type TextFile } from './workspace.ts'

/** Files and folders that may reach for the machine instead of taking it as a parameter, and why. */
const ADAPTERS: Adapters = {
  'packages/protocol/src/clock.ts': { clock: 'it is the clock', timers: 'it is the clock' },
  'packages/protocol/src/fault-point.ts': { fs: 'processes agree on spent faults in a folder' },
  'packages/protocol/src/private-files.ts': { fs: 'sets the modes of a data folder' },
  'packages/archive/src/archive-files.ts': { fs: 'reads and writes the archive' },
  'packages/store/src/blobs.ts': { fs: 'blobs are files' },
  'packages/store/src/blob-recovery.ts': { fs: 'cuts files after a crash' },
  'packages/store/src/postgres-engine.ts': { fs: 'opens the data folder' },
  'packages/store/src/sqlite-engine.ts': { fs: 'opens and locks the data folder' },
  'packages/lake/src/kernel/folder-depot.ts': { fs: 'tasks read and write the lake' },
  'packages/lake/src/kernel/run-task.ts': { fs: 'asks how large the written files are' },
  'packages/lake/src/kernel/sandbox.ts': { timers: 'interrupts until it is heard' },
  'packages/lake/src/kernel/read-range.ts': { fs: 'cuts a part out of a file' },
  'packages/lake/src/rows/row-thread.ts': { fs: 'looks for modules of row functions' },
  'packages/lake/src/worker/file-cache.ts': { fs: "keeps copies of the station's files" },
  'packages/lake/src/worker/start-worker.ts': { random: 'puts the worker together' },
  'packages/lake/src/worker/station-depot.ts': { fs: 'sends what a task wrote' },
  'packages/wiki/src/packs/pack-files.ts': { fs: 'reads and writes packs' },
  'packages/wiki/src/revisions/revision-files.ts': { fs: 'holds the files of histories' },
  'packages/wiki/src/dump/dump-file.ts': { fs: 'reads the file of a dump' },
  'packages/lake/src/files/lake-files.ts': { fs: "it is the lake's folder" },
  'packages/lake/src/plan/query-files.ts': { fs: 'lists the files that hold queries' },
  'apps/coordinator/src/accounts/accounts.ts': {
    fs: 'reads a list that came with a package',
  },
  'packages/lake/src/sentiment/scorers.ts': { fs: 'reads lexicons that came with packages' },
  'packages/lake/src/books/write-books.ts': { fs: 'writes the made-up data set' },
  'packages/lake/src/bind/local-file.ts': { fs: 'reads parts of a file that is bound' },
  'apps/agent/src/owner/activity/': { fs: 'it is the log of what the agent did' },
  'apps/agent/src/system/data-folder.ts': {
    fs: "reads and writes the small files of the agent's folder",
  },
  'apps/agent/src/system/folder-lock.ts': { fs: 'makes the folder that it locks' },
  'apps/agent/src/owner/local-page/page-server.ts': { fs: 'reads the parts of the page once' },
  'apps/agent/src/system/os.ts': { fs: 'asks the operating system for its battery' },
  'apps/coordinator/src/agents/agent-program.ts': { fs: 'reads the program that it hands out' },
  'apps/coordinator/src/archive/replay/replay-files.ts': { fs: 'sends files by their parts' },
  'apps/coordinator/src/archive/captures/archive-index.ts': { fs: 'writes the derived index' },
  'apps/coordinator/src/station/geoip.ts': { fs: 'reads the file of countries' },
  'apps/coordinator/src/placement/distance/places-files.ts': {
    fs: 'reads files of places and routes',
  },
  'apps/coordinator/src/archive/import/import-warc.ts': {
    fs: 'copies a foreign file into the archive',
  },
  'apps/coordinator/src/archive/repair/read-member.ts': { fs: 'reads records as they stand' },
  'apps/coordinator/src/station/secrets/secrets-file.ts': { fs: 'reads and writes secrets.json' },
  'apps/coordinator/src/lake/sql/answer-sql.ts': {
    fs: 'a process that writes its answer to a file',
  },
  'apps/coordinator/src/lake/duckdb/service.ts': { fs: 'makes and removes folders of processes' },
  'apps/coordinator/src/lake/duckdb/share-files.ts': { fs: 'sets the modes of files of the lake' },
  'apps/coordinator/src/lake/duckdb/socket-runner.ts': { fs: 'writes the file of an answer' },
  'apps/coordinator/src/lake/feed/segment-thread.ts': { fs: 'asks how large a written file is' },
  'apps/coordinator/src/lake/tables/outside-file.ts': {
    fs: 'looks at files that an operator names',
  },
  'apps/coordinator/src/lake/tables/rows-process.ts': { timers: 'watches its own limits' },
  'apps/coordinator/src/lake/sql/sql-process.ts': {
    fs: 'watches the size of its answer',
    timers: 'watches its own limits',
  },
  'apps/coordinator/src/lake/sql/sql-folder.ts': { fs: 'reads the file of an answer' },
  'apps/coordinator/src/lake/uploads/uploads.ts': { fs: 'keeps inputs that arrive in parts' },
  'apps/minga/src/commands/request/batches.ts': {
    fs: 'keeps the key of a batch next to its results',
  },
  'apps/minga/src/commands/request/list.ts': { fs: 'reads the list of addresses' },
  'apps/minga/src/commands/request/request.ts': { fs: 'writes the results' },
  'apps/coordinator/src/http/dashboard-files.ts': { fs: 'reads the document of the API' },
  'apps/coordinator/src/http/request-limits/body-limits.ts': {
    timers: 'ends requests that are late',
  },
  'apps/coordinator/src/server.ts': { fs: 'reads certificate and page' },
  'apps/coordinator/src/station/settings/settings-page-main.ts': {
    fs: 'writes the page of settings',
  },
  'apps/coordinator/src/station/settings/settings-file.ts': {
    fs: 'settings of a folder are a file in it',
  },
  'apps/coordinator/src/station/station-file.ts': { fs: 'it is the station file' },
  'apps/coordinator/src/archive/takedown/overwrite-records.ts': {
    fs: 'overwrites records in place',
  },
  'apps/coordinator/src/station/disk-room.ts': { fs: 'asks how much room a disk has' },
  'apps/coordinator/src/read-only-archive.ts': {
    fs: 'reads an archive that cannot be opened',
  },
  'apps/minga/src/commands/watch/files.ts': { fs: 'reads a file of watches' },
  'apps/minga/src/commands/wiki/files.ts': { fs: 'writes exports, reads titles and questions' },
  'apps/minga/src/commands/lake/files.ts': { fs: 'reads inputs' },
  'apps/minga/src/commands/lake/query/folder.ts': { fs: 'holds the answers of queries' },
  'apps/coordinator/src/wiki/histories/wiki-imports.ts': { fs: 'looks at the file of a dump' },
  'apps/coordinator/src/wiki/histories/history-routes.ts': {
    fs: 'a Parquet file is whole before it can be sent',
  },
  'apps/minga/src/demo/demo-folder.ts': { fs: "it is the demo's folder" },
  'apps/minga/src/output-place.ts': { fs: 'tries and makes the places that are written to' },
  'apps/minga/src/processes.ts': { fs: 'notes who is running' },
  'apps/minga/src/worker-folders.ts': { fs: 'removes what workers kept' },
  'apps/minga/src/commands/agent/agent.ts': { fs: 'reads a release and keys' },
  'apps/minga/src/commands/agent/limits.ts': { fs: 'reads a file of limits' },
  'apps/minga/src/commands/archive/folder.ts': { fs: 'looks at the files of an archive' },
  'apps/minga/src/commands/doctor.ts': { fs: 'looks at a folder without opening it' },
  'apps/minga/src/commands/crawl/extract-file.ts': { fs: 'reads a file of rules' },
  'apps/minga/src/commands/crawl/filter-file.ts': { fs: 'reads a filter' },
  'apps/minga/src/commands/partition/files.ts': { fs: 'reads graphs and writes parts' },
  'apps/minga/src/commands/simulate/files.ts': { fs: 'reads a scenario and writes its figures' },
  'apps/minga/src/commands/station/station.ts': { fs: 'reads a certificate' },
  'apps/minga/src/commands/simulate/revisit.ts': { fs: 'reads a trace and writes its plot' },
  'simulate/fleet/simulate-fleet.ts': { fs: 'keeps its stores in a temporary folder' },
  'packages/testkit/': { fs: 'it plays the outside world', timers: 'it plays the outside world' },
}

/** Files that may be longer than the rest: generated text, catalogues, migrations. */
const LONG_FILES: Record<string, string> = {}

/** Environment variables: of the form of an error code, but not one. */
const VARIABLES = [
  'MINGA_AGENT',
  'MINGA_ALLOW_PRIVATE_ADDRESSES',
  'MINGA_BEAT_MS',
  'MINGA_BUILD',
  'MINGA_BUNDLE',
  'MINGA_CONTACT',
  'MINGA_COORDINATOR',
  'MINGA_DATA',
  'MINGA_DUCKDB_SOCKET',
  'MINGA_FAULTS',
  'MINGA_FAULTS_DIR',
  'MINGA_FILTER',
  'MINGA_GEOIP',
  'MINGA_KEY',
  'MINGA_LIFELINE_FD',
  'MINGA_LONG',
  'MINGA_MEDIAWIKI_CODE',
  'MINGA_MAIL_FROM',
  'MINGA_OIDC_CLIENT_ID',
  'MINGA_OIDC_ISSUER',
  'MINGA_PORT',
  'MINGA_POSTGRES',
  'MINGA_PUBLIC_URL',
  'MINGA_REPLAY_PORT',
  'MINGA_REPLAY_URL',
  'MINGA_ROLE',
  'MINGA_SETTING_',
  'MINGA_SETTING_BLOCK_MAX',
  'MINGA_SETTING_CACHE_MS',
  'MINGA_SETTING_CASH_MS',
  'MINGA_SETTING_STRATEGY',
  'MINGA_SETTING_VISITS_PER_DAY',
  'MINGA_SMTP_URL',
  'MINGA_STATION',
  'MINGA_TEST_CHROMIUM',
  'MINGA_TEST_POSTGRES',
  'MINGA_TOKEN',
  'MINGA_WORKER',
]

/** The flow of the coordinator; ARCHITECTURE.md says what each folder is responsible for. */
const COORDINATOR: FolderOrder = {
  root: 'apps/coordinator/src',
  order: [
    'station',
    'http',
    'accounts',
    'archive',
    'collect',
    'placement',
    'federation',
    'clients',
    'agents',
    'site-services',
    'wiki',
    'watch',
    'lake',
    'pipeline',
    'operate',
  ],
  known: [
    // A type, erased at run time; it stays.
    'station/station-operations.ts → operations.ts',
  ],
}

const files = workspaceFiles()
const code = workspaceCode()

function nothing(findings: Finding[]): void {
  assert.equal(findings.length, 0, `\n  ${findings.join('\n  ')}\n`)
}

function fileAt(path: string): TextFile {
  const file = files.find((candidate) => candidate.path === path)
  assert.ok(file, `${path} is missing`)
  return file
}

test('a room imports only rooms that stand above it', () => {
  nothing(layeringFindings(code))
})

test('a folder of the coordinator imports only folders that come before it', () => {
  nothing(folderFindings(code, COORDINATOR))
})

test('no circle of imports runs through several rooms', () => {
  nothing(cycleFindings(code))
})

test('only the root of a package is a list of re-exports', () => {
  nothing(barrelFindings(code))
})

test('a file is short enough to be read in one sitting', () => {
  nothing(fileSizeFindings(code, LONG_FILES))
})

test('a function fits on a screen and takes few parameters', () => {
  nothing(functionFindings(code))
})

test('what a request says is parsed, not asserted', () => {
  const routes = code.filter(({ path }) => path.startsWith('apps/coordinator/src/'))
  nothing(
    routes.flatMap(({ path, text }) =>
      /request\.(body|params|query) as /.test(text) ? [`${path} asserts what a request says`] : [],
    ),
  )
})

test('there are no default exports, enums or namespaces', () => {
  nothing(syntaxFindings(code))
})

test('file names are in kebab-case and say what they hold', () => {
  nothing(nameFindings(files.map(({ path }) => path)))
})

test('what only tests import is in the test folder of its room', () => {
  const misplaced = files.filter(({ path }) => /\/src\/.*(fixture|contract-)[^/]*$/.test(path))
  nothing(misplaced.map(({ path }) => `${path}:1 belongs in the folder test of its room`))
})

test('clock, randomness, timers and files are reached for only in adapters', () => {
  nothing(ambientFindings(code, ADAPTERS))
})

test('every error code is documented and every documented code exists', () => {
  const rows = errorRows(fileAt('docs/reference/errors.md').text)
  nothing(errorFindings(errorCodesInSource(code, VARIABLES), rows))
})

test('nothing is left unfinished and nothing names one machine or registry', () => {
  nothing(textFindings(files))
  nothing(lockfileFindings(fileAt('package-lock.json')))
})

test('tests are unique sentences with a goal and none is switched off', () => {
  nothing(testFindings(code))
})
