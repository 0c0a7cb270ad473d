export { startCoordinator, type Coordinator, type CoordinatorSettings } from './start.ts'
export { readStationFile, type StationFile } from './station-file.ts'
