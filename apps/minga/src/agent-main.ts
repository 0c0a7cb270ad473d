/** `minga-agent`: the volunteer's commands alone, as the agent's own tarball installs them. */
import { agentCommands } from './commands/agent/agent.ts'
import { runProgram } from './run-program.ts'

const NAME = 'minga-agent'

const EXAMPLES = `
Examples:
  minga-agent join https://station.example/ --token T      lend this machine to a station
  minga-agent status                                       what it does and what it may use
  minga-agent pause                                        rest until \`minga-agent resume\`
  minga-agent leave                                        finish the work in progress and stop

\`minga-agent COMMAND --help\` explains each command.
`

process.exitCode = await runProgram(
  {
    name: NAME,
    description: 'Lends this machine to a Minga station, within the limits that you set.',
    examples: EXAMPLES,
    commands: [(program, run) => agentCommands(program, run, NAME)],
  },
  process.argv.slice(2),
)
