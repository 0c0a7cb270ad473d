import type { Command } from 'commander'
import type { Run } from '../main.ts'

export function archiveCommand(program: Command, run: Run): void {
  void program
  void run
}
