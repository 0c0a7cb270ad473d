/** Only the rows in sight, and the one that has the focus; the rest is empty rows of their height. */
import {
  defaultRangeExtractor,
  useVirtualizer,
  useWindowVirtualizer,
  type Range,
  type VirtualItem,
  type Virtualizer,
} from '@tanstack/react-virtual'
import {
  Fragment,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import type { Placed } from './list-table.tsx'

/** Until the first rows were measured. */
const ROW_PX = 38
/** Above and below what is seen, so that fast scrolling shows no gaps. */
const SPARE_ROWS = 8
/** The next page is asked for before its place is in sight. */
const READ_AHEAD_ROWS = 20

interface RowsProps {
  count: number
  renderRow: (index: number, placed?: Placed) => ReactNode
  /** How many columns an empty row spans. */
  width: number
  shown: { hasMore: boolean; isReading: boolean; readMore: () => void }
}

export function WindowRows(props: RowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { top, rowPx } = usePlace(body)
  const focused = useFocusedRow()
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: props.count,
    estimateSize: () => rowPx,
    overscan: SPARE_ROWS,
    scrollMargin: top,
    rangeExtractor: focused.rangeOf,
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx])
  return (
    <tbody ref={body} onFocus={focused.onFocus} onBlur={focused.onBlur}>
      <Rows {...props} virtualizer={virtualizer} top={top} />
    </tbody>
  )
}

interface BoxRowsProps extends RowsProps {
  label: string
  frame: (body: ReactNode) => ReactNode
}

export function BoxRows({ label, frame, ...props }: BoxRowsProps) {
  const box = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const { rowPx } = usePlace(body)
  const focused = useFocusedRow()
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: props.count,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: SPARE_ROWS,
    rangeExtractor: focused.rangeOf,
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx])
  return (
    <div ref={box} className="list-box" role="region" aria-label={label} tabIndex={0}>
      {frame(
        <tbody ref={body} onFocus={focused.onFocus} onBlur={focused.onBlur}>
          <Rows {...props} virtualizer={virtualizer} top={0} />
        </tbody>,
      )}
    </div>
  )
}

/**
 * Where the rows begin, and how high one is. Read when something changed its size, never while
 * the user scrolls: a row that is as high as was expected costs nothing, any other moves all below.
 */
function usePlace(body: RefObject<HTMLTableSectionElement | null>): { top: number; rowPx: number } {
  const [place, setPlace] = useState({ top: 0, rowPx: ROW_PX })
  useLayoutEffect(() => {
    const look = (): void => {
      const row = body.current?.querySelector('tr:not(.gap)')
      const top = Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
      const rowPx = row instanceof HTMLElement ? row.offsetHeight : ROW_PX
      setPlace((former) =>
        Math.abs(former.top - top) <= 1 && former.rowPx === rowPx ? former : { top, rowPx },
      )
    }
    look()
    const watch = new ResizeObserver(look)
    for (const element of document.querySelectorAll('#content, #content > *'))
      watch.observe(element)
    return () => watch.disconnect()
  }, [body])
  return place
}

/** Keyboard users must not lose their place because it was scrolled out of sight. */
function useFocusedRow() {
  const index = useRef<number | null>(null)
  return {
    onFocus: (event: FocusEvent): void => {
      const row = (event.target as HTMLElement).closest<HTMLElement>('tr[data-index]')
      index.current = row === null ? null : Number(row.dataset['index'])
    },
    onBlur: (): void => {
      index.current = null
    },
    rangeOf: useCallback((range: Range): number[] => {
      const seen = defaultRangeExtractor(range)
      const kept = index.current
      if (kept === null || kept >= range.count || seen.includes(kept)) return seen
      return [...seen, kept].toSorted((a, b) => a - b)
    }, []),
  }
}

interface VirtualRowsProps extends RowsProps {
  virtualizer: Pick<
    Virtualizer<Window, HTMLTableRowElement>,
    'getVirtualItems' | 'getTotalSize' | 'measureElement'
  >
  top: number
}

function Rows({ virtualizer, top, count, renderRow, width, shown }: VirtualRowsProps) {
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const { hasMore, isReading, readMore } = shown
  useEffect(() => {
    if (hasMore && !isReading && last >= count - READ_AHEAD_ROWS) readMore()
  }, [hasMore, isReading, readMore, last, count])
  const placed = { measure: virtualizer.measureElement }
  const end = items.at(-1)?.end ?? top
  return (
    <>
      {items.map((item, i) => (
        <Fragment key={item.key}>
          <Gap height={item.start - endBefore(items, i, top)} width={width} />
          {renderRow(item.index, placed)}
        </Fragment>
      ))}
      <Gap height={virtualizer.getTotalSize() + top - end} width={width} />
    </>
  )
}

function endBefore(items: readonly VirtualItem[], i: number, top: number): number {
  return i === 0 ? top : items[i - 1]!.end
}

function Gap({ height, width }: { height: number; width: number }) {
  if (height <= 0) return null
  return (
    <tr className="gap" aria-hidden="true">
      <td colSpan={width} style={{ height }} />
    </tr>
  )
}
