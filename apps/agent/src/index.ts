export { startAgent, type AgentSettings } from './run.ts'
