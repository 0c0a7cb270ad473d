import { createContext } from 'react'

/** Whether what is rendered stands in a row of a list. */
export const InList = createContext(false)
