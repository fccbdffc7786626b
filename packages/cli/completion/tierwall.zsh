#compdef tierwall
# Completion of tierwall for zsh: source <(tierwall completion zsh), after compinit, or save it as _tierwall in $fpath.
# The program itself says what fits; this asks it, and tells zsh.

_tierwall() {
  local -a lines candidates unfinished
  lines=("${(@f)$("${(Q)words[1]}" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  local directive=${lines[-1]#:} line
  for line in "${(@)lines[1,-2]}"; do
    # A colon parts value and description here.
    line=${line//:/\\:}
    candidates+=("${line/$'\t'/:}")
  done
  if ((directive & 2)); then unfinished=(-S ''); fi
  if ((${#candidates})); then
    _describe -t tierwall tierwall candidates "${(@)unfinished}"
  elif ((!(directive & 4))); then
    compset -P '--*='
    _files
  fi
}

if [[ ${funcstack[1]} == _tierwall ]]; then
  _tierwall "$@"
else
  compdef _tierwall tierwall
fi
