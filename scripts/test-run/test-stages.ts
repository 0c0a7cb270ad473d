/** Which test files belong to which stage, with the texts that decide how each is run. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../commands.ts'
import { importsOf } from './import-graph.ts'
import { WAITING_TESTS, type TestFile } from './plan-jobs.ts'

export type TestStage = 'unit' | 'crash' | 'e2e' | 'waiting'

const FOLDERS = ['packages', 'apps', 'scripts', 'simulate', 'bench', 'tests']

export function filesOfStage(stage: TestStage): string[] {
  return allTestFiles().filter((file) => stageOf(file) === stage)
}

export function allTestFiles(): string[] {
  const patterns = FOLDERS.map((folder) => `${folder}/**/*.test.ts`)
  return globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
}

function stageOf(file: string): TestStage {
  if (WAITING_TESTS.includes(file)) return 'waiting'
  if (file.startsWith('tests/crash/')) return 'crash'
  return file.startsWith('tests/e2e/') ? 'e2e' : 'unit'
}

/** With the fixtures that they import: what these do to a process, the test does. */
export function readTestFiles(files: readonly string[]): TestFile[] {
  return files.map((file) => {
    const text = read(file)
    const fixtures = importsOf(file, text).filter((name) => FIXTURE.test(name) && isThere(name))
    return { file, text: [text, ...fixtures.map(read)].join('\n') }
  })
}

const FIXTURE = /-fixture\.ts$/
const isThere = (file: string): boolean => existsSync(path.join(ROOT, file))
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
