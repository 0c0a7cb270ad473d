import { Checkbox, CheckboxGroup, Label } from 'react-aria-components'

interface CheckListProps {
  label: string
  options: readonly { value: string; label: string }[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

export function CheckList({ label, options, chosen, onChange }: CheckListProps) {
  return (
    <CheckboxGroup className="checks" value={[...chosen]} onChange={onChange}>
      <Label>{label}</Label>
      {options.map((option) => (
        <Checkbox key={option.value} value={option.value}>
          <span className="box" aria-hidden="true" />
          {option.label}
        </Checkbox>
      ))}
    </CheckboxGroup>
  )
}
