from peers import NotInstalled
def rows(umcp, large): return []
