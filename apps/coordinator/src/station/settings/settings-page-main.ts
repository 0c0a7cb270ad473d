/** Writes docs/reference/settings.md from the registry, when a setting was added or changed. */
import { writeFileSync } from 'node:fs'
import { settingsTable } from './settings-table.ts'

writeFileSync(
  new URL('../../../../../docs/reference/settings.md', import.meta.url),
  settingsTable(),
)
