export { agreementMatrix, countBySource, type AgreementRow } from './distance/agreement.ts'
export { Coordinates, type CoordinateSnapshot, type Measurement } from './distance/coordinates.ts'
export {
  coarsenCrawl,
  hostGraph,
  linkGraph,
  pageGraph,
  type CrawlGraph,
  type NamedCrawlGraph,
} from './distance/crawl-graph.ts'
export {
  learnDistances,
  witnessesOf,
  type Distances,
  type DistanceSources,
  RouteEstimates,
} from './distance/distances.ts'
export {
  parseDnsLoc,
  claimsOf,
  locate,
  type PlaceClaim,
  type Gazetteer,
  type HostFacts,
  type HostPlace,
  type PlaceSource,
  OperatorPlaces,
  type KnownPlace,
} from './distance/locate.ts'
export { BadDistanceInput, BadHopList, BadPlaceList, BadTimes } from './distance/errors.ts'
export {
  blendRtt,
  learnDistancePrior,
  rttOfDistance,
  type BlendedRtt,
  type DistanceFacts,
  type DistancePrior,
  type RttKnowledge,
  type RttEstimate,
} from './distance/estimate-rtt.ts'
export {
  CrawlCounts,
  GraphBatcher,
  type CrawlTotals,
  type GraphBatch,
} from './distance/graph-batches.ts'
export { greatCircleKm, type Position } from './distance/great-circle.ts'
export { parseHopLists, type HopLists, type Trace, type TraceHop } from './distance/hop-lists.ts'
export { leastRttMs, lightCheck, type LightVerdict, type Witness } from './distance/light-check.ts'
export { NamePlaces, type NamedPlace } from './distance/name-places.ts'
export {
  affinityGraph,
  assignmentCosts,
  coarsenNearness,
  nearnessOf,
  type Nearness,
} from './distance/nearness.ts'
export {
  PairTimes,
  type FetchTimes,
  type MeasuredPair,
  type PairBytes,
} from './distance/pair-times.ts'
export { WELL_KNOWN_PLACES } from './distance/places.ts'
export {
  marginOfError,
  medianErrorCurve,
  sampleSizeFor,
  type Sampling,
} from './distance/probe-statistics.ts'
export {
  routesOf,
  summariseDeltas,
  type DeltaSummary,
  type HopReading,
  type RouteGraph,
  type Routes,
  type TracedPair,
} from './distance/route-graph.ts'
export { TimeSketch } from './distance/time-sketch.ts'
export { BadGraphFile, BadPartitionInput } from './errors.ts'
export { readEdges } from './files/read-edges.ts'
export { readMetis, type GraphFile } from './files/read-metis.ts'
export { readTable } from './files/read-table.ts'
export {
  graphOfArcs,
  graphOfEdges,
  type BuiltGraph,
  type EdgeColumns,
  type Repairs,
} from './graph/build.ts'
export { cutOf, type Graph } from './graph/graph.ts'
export { type Stage } from './multilevel.ts'
export { type Objective } from './objectives/objective.ts'
export { paretoSweep, type ParetoPoint } from './objectives/pareto.ts'
export { thesisPartition } from './objectives/thesis.ts'
export { partition, type Partition, type PartitionOptions } from './partition.ts'
export { addressGroups } from './plan/address-groups.ts'
export { breakEven, passesWithin, type Bargain } from './plan/break-even.ts'
export { figuresOf, type PlanFigures } from './plan/figures.ts'
export { placeNewHosts, type NewHost, type NewHostsInput } from './plan/place-new.ts'
export { PLAN_WEIGHTS, type PlanInput, type PlanPart, type PlanWeights } from './plan/plan-input.ts'
export { planPlacement, type Plan, type PlanCost, type PlanWay } from './plan/plan.ts'
export {
  TRIGGER_RULES,
  Triggers,
  type Decision,
  type Observation,
  type TriggerName,
  type TriggerRules,
} from './plan/triggers.ts'
export { PLAN_IMBALANCE } from './plan/units.ts'
export { type PresetName } from './preset.ts'
export { Random } from './random.ts'
export { blockOf, blockText, type Block } from './routing/block.ts'
export { type Route } from './routing/compact.ts'
export {
  BadAddressBlock,
  BadFilter,
  BadPlacement,
  BadStationTree,
  ContestedBlock,
  PlacementGap,
  UnreadablePlacement,
} from './routing/errors.ts'
export { filterOf } from './routing/filter-rules.ts'
export {
  asksAbout,
  isWanted,
  judge,
  type Filter,
  type Judgement,
  type UrlFacts,
} from './routing/filter.ts'
export {
  foundFederation,
  joinFederation,
  loneStation,
  receiveNotice,
  type Letter,
  type Newcomer,
  type Notice,
  type Outcome,
} from './routing/join.ts'
export { knowledgeOf, knownEntities, type Ascendant, type Knowledge } from './routing/knowledge.ts'
export {
  journeyOf,
  nextHop,
  tablesOfTree,
  type Journey,
  type NextHop,
  type Seat,
} from './routing/next-hop.ts'
export { decodeDelta, decodeMap, encodeDelta, encodeMap } from './routing/placement-bytes.ts'
export {
  deltaBetween,
  PlacementMap,
  type Move,
  type PlacementDelta,
} from './routing/placement-map.ts'
export {
  RoutingTable,
  unionOf,
  type HostException,
  type Whereabouts,
} from './routing/routing-table.ts'
export { splitSpace, type SpaceSplit, type SplitTask } from './routing/split-space.ts'
export {
  chooseRepresentatives,
  StationTree,
  type Entity,
  type Quality,
  type Representatives,
} from './routing/station-tree.ts'
export { tableOfHosts, type PlacedHost } from './routing/table-of-hosts.ts'
export { hashOwner, jumpOwner, type HashKey } from './stream/hash-owner.ts'
export { hash64, type Hash64 } from './stream/hash64.ts'
export { PlacementBuffer, type BufferOptions, type Placed } from './stream/placement-buffer.ts'
export { Rendezvous, type Member } from './stream/rendezvous.ts'
export { restream, type Restreamed, type RestreamOptions } from './stream/restream.ts'
export { StreamPlacer, type Arrival, type StreamOptions } from './stream/stream-placer.ts'
export { type ScoreName } from './stream/stream-score.ts'
export { partitionInThreads } from './threads/partition-in-threads.ts'
export { planInThread } from './threads/plan-in-thread.ts'
