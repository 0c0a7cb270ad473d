/**
 * A belief as bytes for the store: 214 of them, little-endian, the first a version. Weights are
 * logarithms in 16 bits (30 nats in steps of 0.0005), tallies in 16 bits on a logarithmic scale
 * (steps of 0.02 %), so that a page visited every few minutes still adds up.
 */
import { GRID_POINTS } from './grid.ts'
import { newBelief, type Belief } from './belief.ts'
import type { Climb } from './regime.ts'
import { SEASON_TALLIES } from './season.ts'
import { UnreadableBelief } from './errors.ts'

const VERSION = 1
/** Not zero where the page keeps to hours or weekdays: to be read without decoding the rest. */
export const RHYTHM_BYTE = 1
const HEAD_BYTES = 36
const CLIMB_BYTES = 10
const WEIGHTS_AT = HEAD_BYTES + 2 * CLIMB_BYTES
const TALLIES_AT = WEIGHTS_AT + 2 * GRID_POINTS
export const BELIEF_BYTES = TALLIES_AT + 2 * SEASON_TALLIES

const U16 = 65_535
const NATS = 30
const LARGEST_TALLY_LOG = Math.log1p(1e5)
const REGIMES = ['none', 'faster', 'slower'] as const
const TWO_TO_32 = 4_294_967_296

export function encodeBelief(belief: Belief): Uint8Array {
  const bytes = new Uint8Array(BELIEF_BYTES)
  const view = new DataView(bytes.buffer)
  const { season } = belief
  view.setUint8(0, VERSION)
  view.setUint8(RHYTHM_BYTE, (season.weekly ? 1 : 0) | (season.daily ? 2 : 0))
  view.setUint8(2, REGIMES.indexOf(belief.lastRegime))
  view.setUint8(3, Math.min(255, belief.visitsInRegime))
  view.setUint32(4, Math.min(TWO_TO_32 - 1, belief.visits), true)
  view.setUint32(8, Math.min(TWO_TO_32 - 1, belief.changes), true)
  setMoment(view, 12, belief.lastSeenAt)
  setMoment(view, 18, belief.lastChangeAt)
  view.setUint16(24, Math.min(U16, belief.regimes), true)
  view.setInt16(26, Math.round(season.utcOffsetMs / 60_000), true)
  view.setFloat32(28, belief.evidence, true)
  view.setFloat32(32, belief.squares, true)
  setClimb(view, HEAD_BYTES, belief.faster)
  setClimb(view, HEAD_BYTES + CLIMB_BYTES, belief.slower)
  setWeights(view, belief.weights)
  for (let i = 0; i < SEASON_TALLIES; i++) {
    const code = Math.round((Math.log1p(season.tallies[i]!) / LARGEST_TALLY_LOG) * U16)
    view.setUint16(TALLIES_AT + 2 * i, Math.min(U16, code), true)
  }
  return bytes
}

export function decodeBelief(bytes: Uint8Array): Belief {
  if (bytes.length !== BELIEF_BYTES || bytes[0] !== VERSION) throw new UnreadableBelief(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const belief = newBelief(undefined, view.getInt16(26, true) * 60_000)
  const { season } = belief
  season.weekly = (view.getUint8(RHYTHM_BYTE) & 1) !== 0
  season.daily = (view.getUint8(RHYTHM_BYTE) & 2) !== 0
  belief.lastRegime = REGIMES[view.getUint8(2)] ?? 'none'
  belief.visitsInRegime = view.getUint8(3)
  belief.visits = view.getUint32(4, true)
  belief.changes = view.getUint32(8, true)
  belief.lastSeenAt = momentAt(view, 12)
  belief.lastChangeAt = momentAt(view, 18)
  belief.regimes = view.getUint16(24, true)
  belief.evidence = view.getFloat32(28, true)
  belief.squares = view.getFloat32(32, true)
  readClimb(view, HEAD_BYTES, belief.faster)
  readClimb(view, HEAD_BYTES + CLIMB_BYTES, belief.slower)
  readWeights(bytes, belief.weights, 0)
  for (let i = 0; i < SEASON_TALLIES; i++) {
    const code = view.getUint16(TALLIES_AT + 2 * i, true)
    season.tallies[i] = Math.expm1((code / U16) * LARGEST_TALLY_LOG)
  }
  return belief
}

export const hasRhythm = (bytes: Uint8Array): boolean => bytes[RHYTHM_BYTE] !== 0

/** Only the weights, into a packed array: what a replan of a million needs. */
export function decodeWeightsInto(packed: Float32Array, i: number, bytes: Uint8Array): void {
  if (bytes.length !== BELIEF_BYTES || bytes[0] !== VERSION) throw new UnreadableBelief(bytes)
  readWeights(bytes, packed, i * GRID_POINTS)
}

function setWeights(view: DataView, weights: Float32Array): void {
  let highest = 0
  for (let i = 0; i < GRID_POINTS; i++) highest = Math.max(highest, weights[i]!)
  for (let i = 0; i < GRID_POINTS; i++) {
    const nats = Math.log(highest / weights[i]!)
    view.setUint16(WEIGHTS_AT + 2 * i, Math.min(U16, Math.round((nats / NATS) * U16)), true)
  }
}

/** Byte by byte: a view for each of a million beliefs would cost more than the reading. */
function readWeights(bytes: Uint8Array, weights: Float32Array, start: number): void {
  const byCode = weightsByCode()
  let sum = 0
  for (let i = 0; i < GRID_POINTS; i++) {
    const at = WEIGHTS_AT + 2 * i
    const weight = byCode[bytes[at]! | (bytes[at + 1]! << 8)]!
    weights[start + i] = weight
    sum += weight
  }
  for (let i = start; i < start + GRID_POINTS; i++) weights[i]! /= sum
}

let table: Float32Array | null = null

/** e^−nats of every code, worked out once: a quarter of a megabyte. */
function weightsByCode(): Float32Array {
  table ??= Float32Array.from({ length: U16 + 1 }, (_, code) => Math.exp((-code / U16) * NATS))
  return table
}

function setClimb(view: DataView, at: number, climb: Climb): void {
  view.setFloat16(at, climb.score, true)
  view.setFloat16(at + 2, climb.changed, true)
  view.setFloat16(at + 4, climb.changedDays, true)
  view.setFloat16(at + 6, climb.exact, true)
  view.setFloat16(at + 8, climb.otherDays, true)
}

function readClimb(view: DataView, at: number, climb: Climb): void {
  climb.score = view.getFloat16(at, true)
  climb.changed = view.getFloat16(at + 2, true)
  climb.changedDays = view.getFloat16(at + 4, true)
  climb.exact = view.getFloat16(at + 6, true)
  climb.otherDays = view.getFloat16(at + 8, true)
}

/** Milliseconds in 48 bits: until the year 10889; 0 is never, and so is anything before 1970. */
function setMoment(view: DataView, at: number, moment: number): void {
  const whole = Math.max(0, Math.round(moment))
  view.setUint32(at, whole % TWO_TO_32, true)
  view.setUint16(at + 4, Math.min(U16, Math.floor(whole / TWO_TO_32)), true)
}

function momentAt(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * TWO_TO_32
}
