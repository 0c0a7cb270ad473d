/** The plan of a query as a graph: lines are drawn, stages are buttons that tell more, and a tree says it in words. */
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { QueryPlanView } from '@minga/protocol'
import { useFormat } from '../../components/use-format.ts'
import { curveOf, layOutPlan, NODE, type PlacedEdge, type PlacedNode } from './plan-layout.ts'
import { PlanStage } from './plan-stage.tsx'

export function PlanGraph({ plan }: { plan: QueryPlanView }) {
  const { t } = useTranslation()
  const placed = useMemo(() => layOutPlan(plan), [plan])
  const [chosen, setChosen] = useState<string | null>(null)
  const stage = plan.stages.find(({ id }) => `stage ${id}` === chosen)
  return (
    <div className="plan">
      <p className="plan-legend">
        {(['shuffle', 'broadcast', 'gather'] as const).map((kind) => (
          <span key={kind}>
            <svg viewBox="0 0 28 10" aria-hidden="true">
              <path className={`edge ${kind}`} d="M1 5H27" />
            </svg>
            <b>{t(`planGraph.edge.${kind}`)}</b> {t(`planGraph.means.${kind}`)}
          </span>
        ))}
      </p>
      {/* Wider than a telephone: it scrolls in a box of its own, which the keyboard reaches. */}
      <div className="plan-box" role="group" aria-label={t('planGraph.title')} tabIndex={0}>
        <div className="plan-field" style={{ width: placed.width, height: placed.height }}>
          <svg width={placed.width} height={placed.height} aria-hidden="true">
            {placed.edges.map((edge) => (
              <EdgeLine key={`${edge.from} ${edge.to} ${edge.kind}`} edge={edge} />
            ))}
          </svg>
          {placed.nodes.map((node) => (
            <Node
              key={node.node.id}
              placed={node}
              isChosen={node.node.id === chosen}
              onChoose={() => setChosen(node.node.id === chosen ? null : node.node.id)}
            />
          ))}
        </div>
      </div>
      {stage === undefined ? (
        <p className="quiet">{t('planGraph.choose')}</p>
      ) : (
        <PlanStage stage={stage} />
      )}
      <details>
        <summary>{t('planGraph.tree')}</summary>
        <pre lang="en">{plan.text}</pre>
      </details>
    </div>
  )
}

/** The mark is in the middle: its shape also shows how data crosses between machines. */
function EdgeLine({ edge }: { edge: PlacedEdge }) {
  const { points, kind } = edge
  const [from, to] = [points.at(-2)!, points.at(-1)!]
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
  return (
    <g>
      <path className={`edge ${kind}`} d={curveOf(points)} />
      {kind === 'shuffle' ? (
        <path className="edge-mark" d={diamond(middle.x, middle.y)} />
      ) : kind === 'broadcast' ? (
        <circle className="edge-mark" cx={middle.x} cy={middle.y} r={5} />
      ) : null}
    </g>
  )
}

const diamond = (x: number, y: number): string => `M${x - 6} ${y}l6 -6 6 6 -6 6z`

interface NodeProps {
  placed: PlacedNode
  isChosen: boolean
  onChoose: () => void
}

function Node({ placed, isChosen, onChoose }: NodeProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { node, x, y } = placed
  const place = { left: x, top: y, width: NODE.width, height: NODE.height }
  if (node.kind === 'input') {
    return (
      <div className="plan-node input" style={place}>
        <span className="quiet">{t('planGraph.input')}</span>
        <b>{node.name}</b>
        <span className="quiet">{format.bytes(node.bytes)}</span>
      </div>
    )
  }
  if (node.kind === 'result') {
    return (
      <div className="plan-node result" style={place}>
        <span className="quiet">{t('planGraph.result')}</span>
        <b>{node.query}</b>
        <span className="quiet columns-of">{node.columns.join(', ')}</span>
      </div>
    )
  }
  return <StageNode {...{ isChosen, onChoose, place }} stage={node.stage} />
}

interface StageNodeProps extends Omit<NodeProps, 'placed'> {
  stage: QueryPlanView['stages'][number]
  place: { left: number; top: number; width: number; height: number }
}

function StageNode({ stage, isChosen, onChoose, place }: StageNodeProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { id, about, tasks, done, running = 0, rows } = stage
  const state =
    done === undefined ? 'planned' : done === tasks ? 'done' : running > 0 ? 'running' : 'waiting'
  return (
    <button
      type="button"
      className={`plan-node stage ${state}`}
      style={place}
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      <span className="plan-head">
        <b>{id}</b>
        <span className="quiet">
          {done === undefined
            ? t('planGraph.tasks', { count: tasks, number: format.count(tasks) })
            : t('planGraph.doneOf', { done: format.count(done), total: format.count(tasks) })}
        </span>
      </span>
      <span className="plan-about" lang="en" title={about}>
        {about}
      </span>
      {done === undefined ? null : (
        <>
          <span className="plan-bar" aria-hidden="true">
            <span className="done" style={{ flexGrow: done }} />
            <span className="out" style={{ flexGrow: running }} />
            <span style={{ flexGrow: Math.max(0, tasks - done - running) }} />
          </span>
          <span className="quiet">
            {t('planGraph.rows', { count: rows ?? 0, number: format.count(rows ?? 0) })}
          </span>
        </>
      )}
    </button>
  )
}
