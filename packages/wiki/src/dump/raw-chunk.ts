/** Bytes of the XML, and where in the packed file they come from. */
export interface RawChunk {
  bytes: Buffer
  /** Bytes of the file read so far. */
  position: number
  /** The last place before this chunk at which unpacking can begin again. */
  restart: Restart
}

/** Unpacking that begins at byte `compressed` of the file gives the XML from byte `raw` on. */
export interface Restart {
  compressed: number
  raw: number
}

export const RESTART_AT_BEGIN: Restart = { compressed: 0, raw: 0 }
