import type { ReactNode } from 'react'

export interface Figure {
  label: string
  value: ReactNode
}

export function FiguresList({ figures, className }: { figures: Figure[]; className?: string }) {
  return (
    <dl className={`figures ${className ?? ''}`}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
