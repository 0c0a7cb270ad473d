/**
 * The operations of the station's store, as a type. Every folder calls them by name, and the table of them is put
 * together above all folders: this is the one import that points upwards, and nothing of it is left at run time.
 */
import type { operations } from '../operations.ts'

export type Operations = typeof operations
