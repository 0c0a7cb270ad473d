/** Nothing here yet: why, and the next step. */
import type { ReactNode } from 'react'

interface EmptyStateProps {
  title: string
  /** What would be here, in a sentence. */
  text?: string
  /** The next step: a link, a button, or a command to copy. */
  children?: ReactNode
}

export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <svg viewBox="0 0 48 48" aria-hidden="true">
        <path d="M6 30l6-18h24l6 18v10H6z M6 30h11l3 5h8l3-5h11" />
      </svg>
      <p>
        <b>{title}</b>
      </p>
      {text === undefined ? null : <p className="quiet">{text}</p>}
      {children === undefined ? null : <div className="actions">{children}</div>}
    </div>
  )
}
